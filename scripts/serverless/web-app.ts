import { readFileSync } from "node:fs";
import * as z from "zod";
import { contentSecurityPolicy } from "../../packages/server/src/serve/web/web-headers.ts";
import { arnOf, attribute, policy, privateBucket, type Resources, ref, sub } from "./cloudformation.ts";
import { SIGN_IN_ORIGINS } from "./user-pool.ts";

const read = (name: string): string =>
  readFileSync(new URL(`../../deploy/cloudfront/${name}`, import.meta.url), "utf8");

const settings = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const headers = z
  .object({
    SecurityHeadersConfig: z.record(z.string(), settings),
    CustomHeadersConfig: z.object({ Items: z.array(settings) }),
  })
  .parse(JSON.parse(read("response-headers-policy.json")));

/** Whom the app calls. */
const CALLS = ["https://${ApiDomain}", ...SIGN_IN_ORIGINS];

/** These names are those of the whole account, in all regions. */
const NAME = sub("${Name}-${AWS::Region}");

/** AWS's own `CachingOptimized`. */
const CACHE_POLICY = "658327ea-f89d-4fab-a63d-7e88639e58f6";

/** As in deploy/cloudfront/README.md. */
export const webApp: Resources = {
  WebBucket: privateBucket(),
  WebBucketPolicy: {
    Type: "AWS::S3::BucketPolicy",
    Properties: {
      Bucket: ref("WebBucket"),
      PolicyDocument: policy({
        Principal: { Service: "cloudfront.amazonaws.com" },
        Action: ["s3:GetObject", "s3:ListBucket"],
        Resource: [arnOf("WebBucket"), sub("${WebBucket.Arn}/*")],
        Condition: {
          StringEquals: {
            "aws:SourceArn": sub(
              "arn:${AWS::Partition}:cloudfront::${AWS::AccountId}:distribution/${WebDistribution}",
            ),
          },
        },
      }),
    },
  },
  WebAccess: {
    Type: "AWS::CloudFront::OriginAccessControl",
    Properties: {
      OriginAccessControlConfig: {
        Name: NAME,
        OriginAccessControlOriginType: "s3",
        SigningBehavior: "always",
        SigningProtocol: "sigv4",
      },
    },
  },
  WebHeaders: {
    Type: "AWS::CloudFront::ResponseHeadersPolicy",
    Properties: {
      ResponseHeadersPolicyConfig: {
        Name: NAME,
        ...headers,
        SecurityHeadersConfig: {
          ...headers.SecurityHeadersConfig,
          ContentSecurityPolicy: { ContentSecurityPolicy: sub(contentSecurityPolicy(CALLS)), Override: true },
        },
      },
    },
  },
  WebPage: {
    Type: "AWS::CloudFront::Function",
    Properties: {
      Name: NAME,
      AutoPublish: true,
      FunctionConfig: {
        Runtime: "cloudfront-js-2.0",
        Comment: "Gives the page to every path that is no file",
      },
      FunctionCode: read("viewer-request.js"),
    },
  },
  WebDistribution: {
    Type: "AWS::CloudFront::Distribution",
    Properties: {
      DistributionConfig: {
        Enabled: true,
        HttpVersion: "http2and3",
        Aliases: [ref("WebDomain")],
        ViewerCertificate: {
          AcmCertificateArn: ref("WebCertificate"),
          SslSupportMethod: "sni-only",
          MinimumProtocolVersion: "TLSv1.2_2021",
        },
        Origins: [
          {
            Id: "files",
            DomainName: attribute("WebBucket", "RegionalDomainName"),
            OriginAccessControlId: ref("WebAccess"),
            S3OriginConfig: {},
          },
        ],
        DefaultCacheBehavior: {
          TargetOriginId: "files",
          ViewerProtocolPolicy: "redirect-to-https",
          AllowedMethods: ["GET", "HEAD"],
          Compress: true,
          CachePolicyId: CACHE_POLICY,
          ResponseHeadersPolicyId: ref("WebHeaders"),
          FunctionAssociations: [
            { EventType: "viewer-request", FunctionARN: attribute("WebPage", "FunctionARN") },
          ],
        },
      },
    },
  },
};
