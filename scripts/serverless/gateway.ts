import { either, type Resources, ref } from "./cloudformation.ts";

const API = either("IsHttpApi", ref("HttpApi"), ref("RestApi"));

/** What both kinds of API share: the host name, and the right to call the function. */
export const gateway: Resources = {
  ApiDomainName: {
    Type: "AWS::ApiGatewayV2::DomainName",
    Properties: {
      DomainName: ref("ApiDomain"),
      DomainNameConfigurations: [
        { CertificateArn: ref("ApiCertificate"), EndpointType: "REGIONAL", SecurityPolicy: "TLS_1_2" },
      ],
    },
  },
  ApiMapping: {
    Type: "AWS::ApiGatewayV2::ApiMapping",
    Properties: {
      DomainName: ref("ApiDomainName"),
      ApiId: API,
      Stage: either("IsHttpApi", ref("HttpStage"), ref("RestStage")),
    },
  },
  ApiPermission: {
    Type: "AWS::Lambda::Permission",
    Properties: {
      FunctionName: ref("ApiFunction"),
      Action: "lambda:InvokeFunction",
      Principal: "apigateway.amazonaws.com",
      SourceArn: {
        "Fn::Sub": [
          "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*",
          { Api: API },
        ],
      },
    },
  },
};
