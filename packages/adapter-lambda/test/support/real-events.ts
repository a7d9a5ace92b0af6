/*
 * Claims and surroundings of events of real gateways that have been published, with other accounts, addresses and tokens. `…` is left out.
 */

/** https://github.com/awslabs/serverless-photo-recognition, README.md: a REST API in January 2017. */
const PHOTO_RECOGNITION = {
  resource: "/picture/search",
  path: "/picture/search",
  httpMethod: "POST",
  headers: {
    Accept: "*/*",
    "CloudFront-Viewer-Country": "US",
    "Content-Type": "text/plain;charset=UTF-8",
    Host: "id.execute-api.us-east-1.amazonaws.com",
    "X-Forwarded-For": "192.0.2.1, 198.51.100.1",
    "X-Forwarded-Port": "443",
    "X-Forwarded-Proto": "https",
  },
  requestContext: {
    accountId: "123456789012",
    resourceId: "ywrcne",
    stage: "prd",
    requestId: "2f5b082a-d57a-11e6-9502-5b8a76e3fba2",
    identity: { sourceIp: "192.0.2.1", userAgent: "Mozilla/5.0" },
    authorizer: {
      claims: {
        sub: "aaaaaaa-bbbbb-ccccc-ddddd-eeeeeeeeeeee",
        aud: "asdfasdfasdfasdf",
        email_verified: "true",
        token_use: "id",
        auth_time: "1483859554",
        iss: "https://cognito-idp.us-east-1.amazonaws.com/us-east-1_AAAAAAAAA",
        "cognito:username": "me@mail.example",
        exp: "Sun Jan 08 08:12:34 UTC 2017",
        iat: "Sun Jan 08 07:12:34 UTC 2017",
        email: "me@mail.example",
      },
    },
    resourcePath: "/picture/search",
    httpMethod: "POST",
    apiId: "id",
  },
};

/**
 * https://github.com/aws-powertools/powertools-lambda-typescript, packages/parser/tests/events/apigw-rest/jwt-authorizer-auth.json: a REST
 * API in June 2024.
 */
const REST_API = {
  resource: "/cognito",
  path: "/cognito",
  httpMethod: "POST",
  headers: { Accept: "*/*", Host: "id.execute-api.eu-west-1.amazonaws.com", "User-Agent": "HTTPie/3.2.2" },
  multiValueHeaders: {
    Accept: ["*/*"],
    Host: ["id.execute-api.eu-west-1.amazonaws.com"],
    "User-Agent": ["HTTPie/3.2.2"],
    Via: ["1.1 id.cloudfront.net (CloudFront)"],
    "X-Amzn-Trace-Id": ["Root=1-66704f8a-626bb89a0b2bf33b547f581c"],
    "X-Forwarded-For": ["192.0.2.1, 198.51.100.1"],
    "X-Forwarded-Port": ["443"],
    "X-Forwarded-Proto": ["https"],
  },
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  pathParameters: null,
  stageVariables: null,
  requestContext: {
    resourceId: "5x3n2k",
    authorizer: {
      claims: {
        origin_jti: "37cc02cf-5c14-4636-beb3-4f8ca887935b",
        sub: "d2f50444-0041-7036-aea2-a955fca33d37",
        aud: "3nkoep4151b7umeggnottc30u9",
        event_id: "c7f6cc62-c476-4c6a-ba5b-745244dfe5ee",
        token_use: "id",
        auth_time: "1718636404",
        iss: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example",
        "cognito:username": "me",
        exp: "Tue Jun 18 15:00:04 UTC 2024",
        iat: "Mon Jun 17 15:00:04 UTC 2024",
        jti: "13727aba-89e6-4896-bd9e-8cbc0f478f9c",
      },
    },
    resourcePath: "/cognito",
    httpMethod: "POST",
    extendedRequestId: "ZhFduHZrDoEEORQ=",
    requestTime: "17/Jun/2024:15:00:26 +0000",
    path: "/prod/cognito",
    accountId: "123456789012",
    protocol: "HTTP/1.1",
    stage: "prod",
    domainPrefix: "id",
    requestTimeEpoch: 1_718_636_426_760,
    requestId: "e56434a3-0b5d-453c-9183-f07a5e91fbb3",
    identity: { accountId: null, caller: null, sourceIp: "192.0.2.1", userAgent: "HTTPie/3.2.2", user: null },
    domainName: "id.execute-api.eu-west-1.amazonaws.com",
    deploymentId: "v99qix",
    apiId: "id",
  },
  body: null,
  isBase64Encoded: false,
};

/** The same repository, apigw-http/jwt-authorizer-auth.json: an HTTP API in June 2024. */
const HTTP_API = {
  version: "2.0",
  routeKey: "POST /cognito",
  rawPath: "/cognito",
  rawQueryString: "",
  headers: {
    accept: "*/*",
    "content-length": "0",
    host: "id.execute-api.eu-west-1.amazonaws.com",
    "user-agent": "HTTPie/3.2.2",
    "x-amzn-trace-id": "Root=1-66705b09-5f85233d2fb7bd54034f7e30",
    "x-forwarded-for": "192.0.2.1",
    "x-forwarded-port": "443",
    "x-forwarded-proto": "https",
  },
  requestContext: {
    accountId: "123456789012",
    apiId: "id",
    authorizer: {
      jwt: {
        claims: {
          aud: "3nkoep4151b7umeggnottc30u9",
          auth_time: "1718636404",
          "cognito:username": "me",
          event_id: "c7f6cc62-c476-4c6a-ba5b-745244dfe5ee",
          exp: "1718722804",
          iat: "1718636404",
          iss: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example",
          jti: "13727aba-89e6-4896-bd9e-8cbc0f478f9c",
          origin_jti: "37cc02cf-5c14-4636-beb3-4f8ca887935b",
          sub: "d2f50444-0041-7036-aea2-a955fca33d37",
          token_use: "id",
        },
        scopes: null,
      },
    },
    domainName: "id.execute-api.eu-west-1.amazonaws.com",
    domainPrefix: "id",
    http: {
      method: "POST",
      path: "/cognito",
      protocol: "HTTP/1.1",
      sourceIp: "192.0.2.1",
      userAgent: "HTTPie/3.2.2",
    },
    requestId: "ZhMpgigvDoEEPlg=",
    routeKey: "POST /cognito",
    stage: "$default",
    time: "17/Jun/2024:15:49:29 +0000",
    timeEpoch: 1_718_639_369_348,
  },
  isBase64Encoded: false,
};

/** The events, and the times of their tokens. */
export const REAL_EVENTS = [
  { event: PHOTO_RECOGNITION, iat: 1_483_859_554, exp: 1_483_863_154 },
  { event: REST_API, iat: 1_718_636_404, exp: 1_718_722_804 },
  { event: HTTP_API, iat: 1_718_636_404, exp: 1_718_722_804 },
] as const;
