//! The rules against made-up secrets and near misses; nothing here holds a secret as text.

#[path = "../../../tests/growth.rs"]
mod growth;

use std::collections::BTreeSet;

use engine_model::{Language, SourceFile, Zone};
use growth::grows_with_length;
use proptest::prelude::*;

use crate::rules::RULES;
use crate::samples::fill;
use crate::{Secret, mask, read, wants};

fn found(path: &str, text: &str) -> Vec<Secret> {
    read(&SourceFile::new(path, text.as_bytes().to_vec()), &[3; 32]).found
}

fn rules(path: &str, text: &str) -> BTreeSet<String> {
    found(path, text).into_iter().map(|secret| secret.rule).collect()
}

/// Rule, form of a secret, form of a near miss: too short, without the mark, or without what must be in it.
const FORMS: &[(&str, &str, &str)] = &[
    (
        "secret-openai-key",
        "sk-proj-{B74}T3Blbk{J}{B74}",
        "sk-proj-{B20}T3Xlbk{J}{B20}",
    ),
    ("secret-openai-key", "sk-{A20}T3Blbk{J}{A20}", "sk-{A20}"),
    ("secret-openai-style-key", "sk-{X32}", "sk-{X31}"),
    ("secret-openai-style-key", "sk-{A56}", "sk-{A28}"),
    ("secret-openai-style-key", "sk-{A47}", "sk-{A30}"),
    ("secret-openai-style-key", "sk-kimi-{A48}", "sk-kimi-{A12}"),
    ("secret-openai-key", "sk-proj-{B74}", "sk-proj-{B24}"),
    ("secret-gateway-key", "oak_{A40}", "oak_{A8}"),
    ("secret-gateway-key", "uak_{A32}", "uak_{L6}"),
    ("secret-marked-key", "xak_{A40}", "xak_{A20}"),
    ("secret-anthropic-key", "sk-ant-api03-{B93}AA", "sk-ant-api03-{B40}AA"),
    ("secret-openrouter-key", "sk-or-v1-{X64}", "sk-or-v1-{X40}"),
    (
        "secret-langfuse-key",
        "sk-lf-{X8}-{X4}-{X4}-{X4}-{X12}",
        "sk-lf-{X8}-{X4}",
    ),
    (
        "secret-helicone-key",
        "sk-helicone-{L7}-{L7}-{L7}-{L7}",
        "sk-helicone-{L7}",
    ),
    ("secret-huggingface-token", "hf_{A34}", "hf_{A20}"),
    (
        "secret-huggingface-organisation-token",
        "api_org_{C34}",
        "api_org_{D34}",
    ),
    ("secret-groq-key", "gsk_{A52}", "gsk_{A30}"),
    ("secret-xai-key", "xai-{A80}", "xai-{A40}"),
    ("secret-perplexity-key", "pplx-{A48}", "pplx-{A20}"),
    ("secret-replicate-token", "r8_{A37}", "r8_{A20}"),
    ("secret-nvidia-key", "nvapi-{B64}", "nvapi-{A30}"),
    ("secret-langsmith-key", "lsv2_pt_{X32}_{X10}", "lsv2_pt_{X32}"),
    ("secret-google-api-key", "AIzaSy{A33}", "AIzaSy{A20}"),
    ("secret-elevenlabs-key", "sk_{X48}", "sk_{X30}"),
    ("secret-pinecone-key", "pcsk_{A5}_{A63}", "pcsk_{A5}_{A20}"),
    ("secret-tavily-key", "tvly-dev-{A32}", "tvly-{A10}"),
    ("secret-fireworks-key", "fw_{A24}", "fw_{A12}"),
    ("secret-voyage-key", "pa-{A43}", "pa-{A20}"),
    ("secret-jina-key", "jina_{A60}", "jina_{A30}"),
    ("secret-cerebras-key", "csk-{L48}", "csk-{L20}"),
    ("secret-together-key", "tgp_v1_{A43}", "tgp_v1_{A20}"),
    ("secret-firecrawl-key", "fc-{X32}", "fc-{X20}"),
    ("secret-llamacloud-key", "llx-{A48}", "llx-{A20}"),
    ("secret-wandb-key", "wandb_v1_{A77}", "wandb_v1_{A20}"),
    ("secret-e2b-key", "e2b_{X40}", "e2b_{X20}"),
    ("secret-vercel-ai-key", "vck_{A56}", "vck_{A20}"),
    ("secret-aws-bedrock-key", "ABSK{S128}=", "ABSK{A40}"),
    ("secret-aws-access-key-id", "AKIA{U16}", "AKIA{U10}"),
    ("secret-aliyun-access-key-id", "LTAI{A20}", "LTAI{A8}"),
    ("secret-google-oauth-secret", "GOCSPX-{A28}", "GOCSPX-{A12}"),
    ("secret-google-oauth-token", "ya29.{A80}", "ya29.{A12}"),
    ("secret-azure-client-secret", "{A3}8Q~{A34}", "{A3}8Q~{A20}"),
    ("secret-azure-storage-key", "AccountKey={S86}==", "AccountKey={S40}=="),
    (
        "secret-azure-shared-access-key",
        "SharedAccessKey={S43}=",
        "SharedAccessKey={S10}=",
    ),
    (
        "secret-azure-connection",
        "Endpoint=https://x.azconfig.io;Id=ab-l0-s0:cd;Secret={S43}=",
        "Endpoint=https://x.azconfig.io;Id=ab;Secret=xxx",
    ),
    ("secret-azure-function-key", "{A44}AzFu{A8}==", "{A10}AzFu{A8}"),
    ("secret-digitalocean-token", "dop_v1_{X64}", "dop_v1_{X30}"),
    ("secret-heroku-key", "HRKU-{A60}", "HRKU-{A10}"),
    ("secret-flyio-token", "fo1_{A43}", "fo1_{A20}"),
    ("secret-cloudflare-origin-key", "v1.0-{X24}-{X146}", "v1.0-{X24}-{X20}"),
    ("secret-vault-token", "hvs.{A90}", "hvs.{A10}"),
    ("secret-terraform-token", "{A14}.atlasv1.{A67}", "{A14}.atlasv1.{A20}"),
    ("secret-doppler-token", "dp.pt.{A43}", "dp.pt.{A20}"),
    ("secret-pulumi-token", "pul-{X40}", "pul-{X20}"),
    ("secret-planetscale-token", "pscale_tkn_{A43}", "pscale_tkn_{A10}"),
    ("secret-databricks-token", "dapi{X32}", "dapi{X20}"),
    ("secret-dynatrace-token", "dt0c01.{U24}.{U64}", "dt0c01.{U24}"),
    ("secret-grafana-token", "glsa_{A32}_{X8}", "glsa_{A32}"),
    ("secret-grafana-key", "eyJrIjoi{A90}", "eyJrIjoi{A20}"),
    ("secret-openshift-token", "sha256~{A43}", "sha256~{A20}"),
    ("secret-age-key", "AGE-SECRET-KEY-1{G58}", "AGE-SECRET-KEY-1{G20}"),
    ("secret-1password-token", "ops_eyJ{A260}", "ops_eyJ{A40}"),
    (
        "secret-1password-key",
        "A3-{U6}-{U11}-{U5}-{U5}-{U5}",
        "A3-{U6}-{U11}-{U5}",
    ),
    ("secret-yandex-key", "AQVN{A35}", "AQVN{A10}"),
    ("secret-aiven-token", "AVNS_{A19}", "AVNS_{A8}"),
    ("secret-supabase-key", "sbp_{X40}", "sbp_{X20}"),
    ("secret-tailscale-key", "tskey-auth-{A17}-{A32}", "tskey-auth-{A17}"),
    ("secret-ngrok-token", "ngrok_{A44}", "ngrok_{A20}"),
    ("secret-github-token", "ghp_{A36}", "ghp_{A20}"),
    (
        "secret-github-fine-grained-token",
        "github_pat_{A22}_{A59}",
        "github_pat_{A10}",
    ),
    ("secret-gitlab-token", "glpat-{A20}", "glpat-{A15}"),
    ("secret-gitlab-token", "glptt-{X40}", "glptt-{X43}"),
    ("secret-gitlab-runner-token", "GR1348941{A20}", "GR1348941{A10}"),
    (
        "secret-gitlab-session",
        "_gitlab_session={L32}",
        "_gitlab_session={L10}",
    ),
    ("secret-bitbucket-token", "ATBB{A24}0F1E2D3C", "ATBB{A10}"),
    ("secret-atlassian-token", "ATATT3{A186}", "ATATT3{A40}"),
    ("secret-npm-token", "npm_{A36}", "npm_{A20}"),
    (
        "secret-npm-auth-token",
        "//registry.company.eu/:_authToken={X8}-{X4}-{X4}-{X4}-{X12}",
        "//registry.company.eu/:_authToken=${TOKEN}",
    ),
    ("secret-pypi-token", "pypi-AgE{A150}", "pypi-AgE{A20}"),
    ("secret-rubygems-token", "rubygems_{X48}", "rubygems_{X20}"),
    ("secret-crates-token", "cio{A32}", "cio{A20}"),
    ("secret-clojars-token", "CLOJARS_{L60}", "CLOJARS_{L30}"),
    ("secret-nuget-key", "oy2{L43}", "oy2{L20}"),
    ("secret-docker-hub-token", "dckr_pat_{A27}", "dckr_pat_{A12}"),
    ("secret-artifactory-key", "AKCp{A69}", "AKCp{A40}"),
    ("secret-artifactory-reference-token", "cmVmd{A59}", "cmVmd{A40}"),
    ("secret-buildkite-token", "bkua_{L40}", "bkua_{L20}"),
    ("secret-circleci-token", "CCIPAT_{A22}_{X40}", "CCIPAT_{A22}"),
    ("secret-sonarqube-token", "squ_{X40}", "squ_{X20}"),
    ("secret-sourcegraph-token", "sgp_{X16}_{X40}", "sgp_{X16}"),
    ("secret-snyk-token", "snyk_uat.{A60}", "snyk_uat.{A10}"),
    ("secret-octopus-key", "API-{U26}", "API-{U20}"),
    ("secret-intra42-secret", "s-s4t2ud-{X64}", "s-s4t2ud-{X30}"),
    ("secret-slack-token", "xoxb-{D12}-{D13}-{A24}", "xoxb-{D4}-{A7}"),
    ("secret-slack-config-token", "xoxe.xoxp-1-{A166}", "xoxe.xoxp-1-{A20}"),
    ("secret-slack-app-token", "xapp-1-A0{U9}-{D13}-{X64}", "xapp-1-A0{U9}"),
    (
        "secret-slack-webhook",
        "https://hooks.slack.com/services/T0{U8}/B0{U8}/{A24}",
        "https://hooks.slack.com/services/T/B/x",
    ),
    (
        "secret-teams-webhook",
        "https://c.webhook.office.com/webhookb2/{X8}-{X4}-{X4}-{X4}-{X12}@{X8}-{X4}-{X4}-{X4}-{X12}/IncomingWebhook/{X32}/{X8}-{X4}-{X4}-{X4}-{X12}",
        "https://c.webhook.office.com/webhookb2/{X8}",
    ),
    (
        "secret-discord-webhook",
        "https://discord.com/api/webhooks/{D18}/{A68}",
        "https://discord.com/api/webhooks/{D18}/{A8}",
    ),
    ("secret-stripe-key", "sk_live_{A24}", "sk_live_{A6}"),
    ("secret-stripe-webhook-secret", "whsec_{A32}", "whsec_{A12}"),
    ("secret-square-token", "sq0atp-{A22}", "sq0atp-{A10}"),
    ("secret-facebook-token", "EAAC{A160}", "EAAC{A40}"),
    ("secret-facebook-app-token", "{D15}|{A27}", "{D10}|{A20}"),
    ("secret-sendgrid-key", "SG.{A22}.{A43}", "SG.{A22}"),
    ("secret-twilio-key", "SK{X32}", "SK{X20}"),
    ("secret-mailchimp-key", "{X32}-us12", "{X20}-us12"),
    ("secret-mailgun-key", "key-{X32}", "key-{X12}"),
    ("secret-brevo-key", "xkeysib-{X64}-{A16}", "xkeysib-{X64}"),
    ("secret-resend-key", "re_{A8}_{A24}", "re_{A8}"),
    ("secret-telegram-token", "12{D8}:AA{A33}", "12{D8}:AA{A20}"),
    ("secret-shopify-token", "shpat_{X32}", "shpat_{X20}"),
    ("secret-shippo-token", "shippo_live_{X40}", "shippo_live_{X20}"),
    ("secret-duffel-token", "duffel_live_{A43}", "duffel_live_{A20}"),
    ("secret-easypost-token", "EZAK{A54}", "EZAK{A20}"),
    ("secret-flutterwave-key", "FLWSECK_TEST-{X32}-X", "FLWSECK_TEST-{X5}"),
    ("secret-frameio-token", "fio-u-{A64}", "fio-u-{A20}"),
    ("secret-figma-token", "figd_{A40}", "figd_{A20}"),
    (
        "secret-figma-old-token",
        "X-Figma-Token: 1394-{X8}-{X4}-{X4}-{X4}-{X12}",
        "X-Figma-Token: 1394-{X8}",
    ),
    ("secret-linear-key", "lin_api_{A40}", "lin_api_{A20}"),
    ("secret-notion-token", "ntn_{D11}{A35}", "ntn_{D11}{A10}"),
    ("secret-airtable-token", "pat{A14}.{X64}", "pat{A14}.{X20}"),
    ("secret-harness-token", "pat.{A22}.{A24}.{A20}", "pat.{A22}.{A24}"),
    ("secret-newrelic-key", "NRAK-{U27}", "NRAK-{U10}"),
    ("secret-postman-key", "PMAK-{X24}-{X34}", "PMAK-{X24}"),
    ("secret-prefect-key", "pnu_{A36}", "pnu_{A20}"),
    ("secret-readme-key", "rdme_{L70}", "rdme_{L30}"),
    ("secret-sentry-token", "sntryu_{X64}", "sntryu_{X40}"),
    ("secret-settlemint-token", "sm_aat_{A16}", "sm_aat_{A8}"),
    ("secret-typeform-token", "tfp_{A59}", "tfp_{A20}"),
    ("secret-scalingo-token", "tk-us-{A48}", "tk-us-{A20}"),
    ("secret-infracost-key", "ico-{A32}", "ico-{A20}"),
    ("secret-authress-key", "sc_{L10}.{L4}.acc_{L10}.{A40}", "sc_{L10}.{L4}"),
    ("secret-adobe-client-secret", "p8e-{A32}", "p8e-{A12}"),
    ("secret-definednet-token", "dnkey-{L26}-{L52}", "dnkey-{L26}"),
    ("secret-mapbox-token", "sk.{A60}.{A22}", "sk.{A60}"),
    ("secret-maxmind-key", "{A6}_{A29}_mmk", "{A6}_{A9}_mmk"),
    ("secret-dropbox-token", "sl.{A135}", "sl.{A30}"),
    ("secret-adafruit-key", "aio_{A28}", "aio_{A10}"),
    ("secret-ionic-token", "ion_{A42}", "ion_{A20}"),
    ("secret-segment-token", "sgp_{A64}", "sgp_{A30}"),
    ("secret-stackhawk-key", "hawk.{A20}.{A20}", "hawk.{A20}"),
    (
        "secret-plaid-token",
        "access-sandbox-{X8}-{X4}-{X4}-{X4}-{X12}",
        "access-sandbox-{X8}",
    ),
    ("secret-lob-key", "live_{X35}", "live_{X12}"),
    ("secret-gocardless-token", "live_{A40}", "live_{A20}"),
    ("secret-courier-key", "pk_prod_{U28}", "pk_prod_{U10}"),
    ("secret-beamer-key", "b_{A44}", "b_{A20}"),
    ("secret-zuplo-key", "zpka_{A32}_{X8}", "zpka_{A32}"),
    ("secret-contentful-token", "CFPAT-{A43}", "CFPAT-{A20}"),
    (
        "secret-hubspot-token",
        "pat-eu1-{X8}-{X4}-{X4}-{X4}-{X12}",
        "pat-eu1-{X8}",
    ),
    (
        "secret-paypal-token",
        "access_token$production${L16}${X32}",
        "access_token$production${L16}",
    ),
    ("secret-posthog-key", "phx_{A43}", "phx_{A20}"),
    (
        "secret-twitter-bearer-token",
        "AAAAAAAAAAAAAAAAAAAAA{A30}%3D{A50}",
        "AAAAAAAAAAAAAAAAAAAAA{A10}",
    ),
    (
        "secret-jwt",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{A40}.{A43}",
        "eyJ{A20}.{A20}.{A20}",
    ),
    (
        "secret-discord-bot-token",
        "MTk4NjIy{A16}.Cl2FMQ.{A27}",
        "MTk4NjIy{A4}.Cl2FMQ.{A27}",
    ),
];

#[test]
fn every_form_is_found_and_its_near_miss_is_not() {
    let mut seen = BTreeSet::new();
    for (rule, form, near) in FORMS {
        seen.insert(*rule);
        // A made-up value may hold an alphabet in order by chance, so most of the seeds must do.
        let hits = (1..=9)
            .filter(|seed| rules("notes.txt", &format!("a = b\n{}\n", fill(form, *seed))).contains(*rule))
            .count();
        assert!(
            hits >= 7,
            "{rule}: {form} found {hits} of 9 times: {:?}",
            rules("notes.txt", &fill(form, 1))
        );
        for seed in 1..=3 {
            assert!(!rules("notes.txt", &fill(near, seed)).contains(*rule), "{rule}: {near}");
        }
    }
    let all: BTreeSet<&str> = RULES.forms.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(all, seen, "every rule has its row");
}

#[test]
fn a_dollar_sign_in_the_password_of_an_address_is_no_variable() {
    for text in [
        "CAMERA = \"rtsp://viewer:Lake$789@192.168.10.4:554/stream\"\n",
        "CAMERA = \"rtsp://viewer:pa$$word71@192.168.10.4:554/stream\"\n",
    ] {
        assert_eq!(found("camera.py", text).len(), 1, "{text}");
    }
    for text in [
        "url = f\"rtsp://viewer:${password}@192.168.10.4/stream\"\n",
        "url=rtsp://viewer:$PASSWORD@192.168.10.4/stream\n",
        "url=rtsp://viewer:Lake$CAMERA_PASSWORD@192.168.10.4/stream\n",
        "url=rtsp://$USER:$(cat key)@192.168.10.4/stream\n",
    ] {
        assert!(found("camera.sh", text).is_empty(), "{text}");
    }
}

#[test]
fn a_key_inside_a_longer_word_is_none() {
    for (rule, form, _) in FORMS.iter().filter(|(rule, ..)| {
        matches!(
            *rule,
            "secret-github-token" | "secret-aws-access-key-id" | "secret-groq-key"
        )
    }) {
        let key = fill(form, 2);
        assert!(rules("a.txt", &format!("x{key}")).is_empty(), "{rule}");
        assert!(
            rules("a.txt", &format!("{key}x9")).is_empty()
                || *rule == "secret-groq-key"
                || *rule == "secret-github-token",
            "{rule}"
        );
    }
}

/// Names without a form of their own, in the ways in which kinds of files write them.
#[test]
fn a_named_value_is_found_in_every_kind_of_file() {
    let value = fill("{A40}", 4);
    for (path, text) in [
        (".env", format!("LOG=debug\nCOHERE_API_KEY={value}\n")),
        ("a.py", format!("COHERE_API_KEY = \"{value}\"\n")),
        ("a.py", format!("os.environ[\"COHERE_API_KEY\"] = '{value}'\n")),
        ("a.py", format!("key = os.getenv(\"COHERE_API_KEY\", \"{value}\")\n")),
        (
            "a.py",
            format!("client = Client(api_key=\"{value}\")  # COHERE_API_KEY\n"),
        ),
        ("a.ts", format!("const cohereApiKey: string = '{value}';\n")),
        ("a.js", format!("export default {{ cohereApiKey: `{value}` }}\n")),
        (
            "Main.java",
            format!("private static final String COHERE_API_KEY = \"{value}\";\n"),
        ),
        ("a.go", format!("var cohereKey string = \"{value}\"\n")),
        ("a.rs", format!("const COHERE_API_KEY: &str = \"{value}\";\n")),
        ("a.cs", format!("var CohereApiKey = @\"{value}\";\n")),
        ("a.kt", format!("val cohereApiKey: String = \"{value}\"\n")),
        ("a.rb", format!("cohere_api_key: '{value}'\n")),
        ("a.php", format!("define('COHERE_API_KEY', '{value}');\n")),
        ("a.sh", format!("export COHERE_API_KEY={value}\n")),
        ("run.sh", format!("tool --cohere-api-key {value}\n")),
        ("Dockerfile", format!("ENV COHERE_API_KEY {value}\n")),
        ("compose.yaml", format!("environment:\n  - COHERE_API_KEY={value}\n")),
        ("deploy.yaml", format!("- name: COHERE_API_KEY\n  value: {value}\n")),
        (
            "a.json",
            format!("{{\"cohere\": {{\"cohere_api_key\": \"{value}\"}}}}\n"),
        ),
        (
            "a.ipynb",
            format!("{{\"source\": [\"cohere_api_key = '{value}'\\n\"]}}\n"),
        ),
        ("a.tfvars", format!("cohere_api_key = \"{value}\"\n")),
        ("a.properties", format!("cohere.api.key={value}\n")),
        ("a.ini", format!("[cohere]\ncohere_key = {value}\n")),
        ("a.toml", format!("cohere_api_key = \"{value}\"\n")),
        ("a.xml", format!("<cohereApiKey>\n  {value}\n</cohereApiKey>\n")),
        (
            "web.config",
            format!("<add key=\"CohereApiKey\" value=\"{value}\" />\n"),
        ),
        (
            "Info.plist",
            format!("<key>CohereApiKey</key>\n<string>{value}</string>\n"),
        ),
        ("Makefile", format!("COHERE_API_KEY ::= {value}\n")),
    ] {
        let secrets = found(path, &text);
        assert_eq!(secrets.len(), 1, "{path}: {text}");
        assert_eq!(secrets[0].check, "secret-ai-key", "{path}");
        assert_eq!(secrets[0].provider.as_deref(), Some("cohere"), "{path}");
        assert_eq!(secrets[0].masked, format!("{}****", &value[..4]), "{path}");
    }
}

#[test]
fn values_that_only_resemble_secrets_are_ignored() {
    let hex = fill("{X40}", 5);
    let digest = fill("{S43}", 5);
    let uuid = fill("{X8}-{X4}-{X4}-{X4}-{X12}", 5);
    for (path, text) in [
        ("a.py", "api_key = os.environ[\"OPENAI_API_KEY\"]".to_owned()),
        ("values.yaml", "OPENAI_API_KEY: \"{{ .Values.llm.key }}\"".to_owned()),
        ("ci.yml", "KEY: ${{ secrets.ANTHROPIC_API_KEY }}".to_owned()),
        (
            ".env.example",
            "ANTHROPIC_API_KEY=your-api-key-here\nHF_TOKEN=\nA_KEY=changeme\nB_SECRET=xxxxxxxxxxxxxxxxxxxxxxxx"
                .to_owned(),
        ),
        ("README.md", "Set the key to `sk-ant-xxxxxxxxxxxxxxxxxxxx`".to_owned()),
        ("a.ts", "const token = await getToken(session.user.id)".to_owned()),
        ("main.tf", "api_key = var.openai_api_key".to_owned()),
        ("a.py", "headers = {\"Authorization\": f\"Bearer {token}\"}".to_owned()),
        (
            "i18n.json",
            "{\"password_placeholder\": \"Enter your password\", \"reset_password\": \"\\u91cd\\u7f6e\\u5bc6\"}"
                .to_owned(),
        ),
        ("mod.txt", format!("example.test/mod v1.0.0 h1:{digest}=")),
        // A sample of a key that is shorter than any.
        (".env.example", format!("STRIPE_SECRET_KEY={}_test_6567\n", "sk")),
        // What stands for a secret is no element that opens, whatever the next line holds.
        (
            "docs/a.md",
            "```\nJWT_SECRET_KEY=<random-secret>\nJWT_ALGORITHM=HS256\nEXPIRES=1440\n```".to_owned(),
        ),
        (
            "docs/b.md",
            "- **Example**: `DISCORD_TOKEN=MT3u19203u0dua0d9s`".to_owned(),
        ),
        // The test keys that a service prints in its guides.
        (
            "application.yml",
            format!("toss:\n  secret-key: {}_sk_zXLkKEypNArWmo50nX3lmeaxYG5R\n", "test"),
        ),
        ("a.html", format!("<script integrity=\"sha384-{digest}\"></script>")),
        ("a.txt", format!("commit {hex}")),
        (
            "a.json",
            format!("{{\"id\": \"{uuid}\", \"credentialsId\": \"{uuid}\", \"kms_key_id\": \"{uuid}\"}}"),
        ),
        ("Dockerfile", format!("FROM debian@sha256:{hex}")),
        (
            "a.py",
            format!("public_key = \"{digest}\"\ncsrf_token = \"{digest}\"\ncache_key = \"{hex}\""),
        ),
        (
            "a.pem",
            format!("-----BEGIN PUBLIC KEY-----\n{digest}\n-----END PUBLIC KEY-----"),
        ),
        (
            "a.pem",
            format!("-----BEGIN CERTIFICATE-----\n{digest}\n-----END CERTIFICATE-----"),
        ),
        (
            "a.txt",
            format!(
                "-----BEGIN {} KEY-----\nanything\n-----END {} KEY-----",
                "PRIVATE", "PRIVATE"
            ),
        ),
        (
            "a.txt",
            format!(
                "-----BEGIN {} KEY----- and later -----END {} KEY-----",
                "PRIVATE", "PRIVATE"
            ),
        ),
        ("a.env", format!("AWS_ACCESS_KEY_ID=AKIA{}EXAMPLE", "IOSFODNN7")),
        (
            "README.md",
            "```yaml\nenvironment:\n  - TELEGRAM_BOT_TOKEN=123456:ABC_Def\n```".to_owned(),
        ),
        // The emulator of a database has the same key everywhere.
        (
            "a.cs",
            format!(
                "var c = \"AccountEndpoint=https://localhost:8081/;AccountKey={}{}==;\";",
                "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuV", "TqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw"
            ),
        ),
        (
            "a.py",
            "DATABASE_URL = \"postgresql://user:password@localhost/db\"".to_owned(),
        ),
        ("a.sh", "curl -u \"$USER:$PASSWORD\" https://host.company.eu".to_owned()),
        (
            "a.py",
            format!(
                "arn = \"arn:aws:secretsmanager:eu-west-1:{}:secret:app/{}\"",
                fill("{D12}", 6),
                fill("{A6}", 6)
            ),
        ),
        (
            "a.yaml",
            "passwordSecretRef: app-credentials\ntokenUrl: https://login.company.eu/oauth/token".to_owned(),
        ),
        (
            "a.png.txt",
            format!(
                "data:image/png;base64,{}+{}EAAC{}+{}",
                fill("{S80}", 7),
                fill("{A20}", 7),
                fill("{A120}", 7),
                fill("{S80}", 8)
            ),
        ),
        (
            "a.js",
            format!(
                "docsearch({{ appId: 'X', apiKey: '{}', indexName: 'docs' }})",
                fill("{X32}", 9)
            ),
        ),
        (
            "a.py",
            "claude_key = \"claude-haiku-4-5\"\nFORM = \"openai_key\", \"sk-{A20}-{X9}\"".to_owned(),
        ),
        ("a.log", format!("sec-websocket-key: {}==", fill("{S22}", 9))),
    ] {
        let secrets = found(path, &text);
        assert!(secrets.is_empty(), "{path}: {text}\n{secrets:#?}");
    }
}

#[test]
fn a_private_key_is_one_place_at_its_first_line() {
    let key = fill("-----BEGIN {P}-----\n{S64}\n{S64}\n{S64}\n-----END {P}-----", 3);
    let secrets = found("deploy/key.pem", &format!("x\n{key}\n"));
    assert_eq!(secrets.len(), 1);
    assert_eq!((secrets[0].line, secrets[0].end_line, secrets[0].column), (2, 6, 1));
    assert_eq!(secrets[0].masked, "****");
    let escaped = key.replace('\n', "\\n");
    assert_eq!(
        rules("sa.json", &format!("{{\"private_key\": \"{escaped}\"}}")),
        BTreeSet::from(["secret-private-key".to_owned()])
    );
}

#[test]
fn a_value_of_a_kubernetes_secret_is_decoded_once() {
    let text = "apiVersion: v1\nkind: Secret\ndata:\n  extra: c3VwZXJmcmlzYmVlMTI=\n  empty: \"\"\n  ref: e3sgLlZhbHVlcy5wdyB9fQ==\n";
    let secrets = found("k8s.yaml", text);
    assert_eq!(secrets.len(), 1, "{secrets:#?}");
    assert_eq!(
        (secrets[0].rule.as_str(), secrets[0].line),
        ("secret-kubernetes-value", 4)
    );
    assert!(found("k8s.yaml", &text.replace("kind: Secret", "kind: ConfigMap")).is_empty());
}

/// Base64 as the command writes it, with a line end after so many letters.
fn base64(text: &str, width: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for part in text.as_bytes().chunks(3) {
        let number = part.iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte)) << (8 * (3 - part.len()));
        for at in 0..4 {
            let letter = char::from(LETTERS[number >> (18 - 6 * at) & 63]);
            out.push(if at > part.len() { '=' } else { letter });
        }
    }
    let lines: Vec<&str> = out
        .as_bytes()
        .chunks(width)
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    lines.join("\n")
}

#[test]
fn a_key_in_base64_is_reported_at_its_encoded_text_and_shown_nowhere() {
    let key = fill("sk-proj-{B74}T3Blbk{J}{B74}", 5);
    let one = base64(&key, 4000);
    let wrapped = |indent: &str, width| base64(&key, width).replace('\n', &format!("\n{indent}"));
    let registry = format!(
        "{{\"auths\":{{\"ghcr.io\":{{\"auth\":\"{}\"}}}}}}",
        base64(&fill("bot:{A24}", 2), 400)
    );
    let registry = base64(&registry, 4000);
    for (path, text, line) in [
        ("k.yaml", format!("kind: Secret\ndata:\n  openai: {one}\n"), 3),
        ("k.yaml", format!("kind: Secret\ndata: {{openai: {one}, b: Zm9v}}\n"), 2),
        ("k.yaml", format!("data:\n  \"openai\": \"{one}\"\nkind: Secret\n"), 2),
        (
            "k.yaml",
            format!(
                "kind: Secret\ndata:\n  openai: |\n    {}\n  x: y\n",
                wrapped("    ", 76)
            ),
            4,
        ),
        (
            "k.yaml",
            format!("kind: Secret\ndata:\n  openai: >-\n    {}\n", wrapped("    ", 64)),
            4,
        ),
        (
            "k.yaml",
            format!("items:\n- kind: ConfigMap\n- kind: Secret\n  data:\n    openai: {one}\n"),
            5,
        ),
        (
            "k.json",
            format!("{{\"kind\":\"Secret\",\"data\":{{\"openai\":\"{one}\"}}}}"),
            1,
        ),
        (
            "k.yaml",
            format!("kind: Secret\ntype: kubernetes.io/dockerconfigjson\ndata:\n  .dockerconfigjson: {registry}\n"),
            4,
        ),
        (".env", format!("KEY_B64={one}\n"), 1),
        (
            "a.py",
            format!("KEY = (\"{}\")\n", wrapped("       \"", 60).replace('\n', "\"\n")),
            1,
        ),
        ("notes.txt", format!("\n{}\n", wrapped("", 76)), 2),
    ] {
        let secrets = found(path, &text);
        assert_eq!(secrets.len(), 1, "{text}\n{secrets:#?}");
        assert_eq!((secrets[0].line, secrets[0].masked.as_str()), (line, "****"), "{text}");
        let masked = crate::mask_lines(&text);
        assert_eq!(masked.lines().count(), text.lines().count(), "{masked}");
        for part in text.split_whitespace().filter(|part| part.len() > 30) {
            let letters = part.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let letters = letters.rsplit(['=', '"']).next().unwrap();
            assert!(!masked.contains(letters), "{masked}");
        }
        assert!(!format!("{secrets:?}").contains(&one[8..40]));
    }
}

#[test]
fn a_generic_value_of_a_kubernetes_secret_is_found_in_every_style() {
    let value = base64("Vxq9mTr2LpwQ7sHd", 400);
    let long = base64(&fill("{A24}", 3).repeat(4), 40).replace('\n', "\n    ");
    for text in [
        format!("kind: Secret\ndata: {{ pass: {value} }}\n"),
        format!("kind: \"Secret\"\n\"data\":\n  'pass': '{value}'\n"),
        format!("{{\"kind\": \"Secret\", \"data\": {{\"pass\": \"{value}\"}}}}"),
        format!("kind: Secret\ndata:\n  pass: !!binary |\n    {long}\n"),
        format!(
            "apiVersion: v1\nitems:\n  - data:\n      pass: {value}\n    kind: Secret\n  - kind: ConfigMap\n    data:\n      extra: {value}\n"
        ),
    ] {
        let secrets = found("k8s.yaml", &text);
        assert_eq!(secrets.len(), 1, "{text}\n{secrets:#?}");
        assert_eq!(secrets[0].rule, "secret-kubernetes-value");
    }
    for text in [
        format!("kind: SecretStore\ndata:\n  extra: {value}\n"),
        format!(
            "{{\"items\":[{{\"kind\":\"Secret\"}},{{\"kind\":\"ConfigMap\",\"data\":{{\"extra\":\"{value}\"}}}}]}}"
        ),
        format!("kind: Secret\n---\ndata:\n  extra: {value}\n"),
    ] {
        assert!(found("k8s.yaml", &text).is_empty(), "{text}");
    }
}

#[test]
fn text_in_base64_without_a_secret_is_quiet() {
    let text = "The quick brown fox jumps over the lazy dog, and nothing here opens anything at all. OPENAI_API_KEY=your-key-here";
    let config = base64(
        "{\"api_key\": \"sk-your-key-here\", \"url\": \"https://user:password@example.com\"}",
        4000,
    );
    for content in [base64(text, 4000), base64(text, 76), config] {
        assert!(found("a.yaml", &format!("note: {content}\n")).is_empty(), "{content}");
        assert!(
            found("a.py", &format!("NOTE = \"{content}\"\n")).is_empty(),
            "{content}"
        );
    }
}

#[test]
fn base64_of_a_placeholder_is_not_a_secret() {
    // `CHANGE_ME`, a URL with that password, `your-jwt-secret-here`, `changeme123`, and the name of a database.
    let encoded = [
        ("API_KEY", "Q0hBTkdFX01F"),
        ("BROKER_URL", "cmVkaXM6Ly86Q0hBTkdFX01FQHJlZGlzOjYzNzkvMA=="),
        ("JWT_SECRET", "eW91ci1qd3Qtc2VjcmV0LWhlcmU="),
        ("DB_PASSWORD", "Y2hhbmdlbWUxMjM="),
        ("POSTGRES_DB", "bG9hbl9hcHByb3ZhbF9kYg=="),
    ];
    for (name, value) in encoded {
        let text = format!("kind: Secret\ndata:\n  {name}: {value}\n");
        assert!(found("k8s.yaml", &text).is_empty(), "{name}");
        assert!(found(".env", &format!("{name}={value}\n")).is_empty(), "{name}");
    }
    // The same fields with a password that somebody chose, also in a URL at an example host.
    for (name, value) in [
        ("DB_PASSWORD", "c3VwZXJmcmlzYmVlMTI="),
        ("BROKER_URL", "cmVkaXM6Ly86VnhxOW1UcjJMcHdAZXhhbXBsZS5jb20vMA=="),
        ("POSTGRES_USER", "VnhxOW1UcjJMcHdRNw=="),
    ] {
        let text = format!("kind: Secret\ndata:\n  {name}: {value}\n");
        assert_eq!(found("k8s.yaml", &text).len(), 1, "{name}");
    }
}

#[test]
fn connection_strings_show_neither_user_nor_password() {
    let password = fill("{A20}", 2);
    let secrets = found(
        "a.ini",
        &format!("url = mongodb+srv://app:{password}@c0.company.mongodb.net/x"),
    );
    assert_eq!(
        (secrets[0].rule.as_str(), secrets[0].masked.as_str()),
        ("secret-connection-string", "****")
    );
}

#[test]
fn utf16_with_and_without_a_mark_is_read() {
    let text = format!("key\n{}\n", fill("ghp_{A36}", 1));
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked: Vec<u8> = [0xFF, 0xFE].into_iter().chain(units.iter().copied()).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [units, marked, big] {
        let secrets = read(&SourceFile::new("a.ps1", bytes), &[0; 32]).found;
        assert_eq!((secrets.len(), secrets[0].line, secrets[0].column), (1, 2, 1));
    }
}

#[test]
fn a_test_lowers_the_confidence_and_a_checksum_raises_it() {
    let key = fill("ghp_{A36}", 1);
    let confidence = |path: &str, text: &str| found(path, text)[0].confidence;
    assert!(confidence("tests/a.py", &key) < confidence("src/a.py", &key));
    let body = fill("{A30}", 1);
    let sum = String::from_utf8(crate::checksum::base62(crate::checksum::crc32(body.as_bytes())).to_vec()).unwrap();
    assert_eq!(confidence("src/a.py", &format!("ghp_{body}{sum}")), 99);
}

#[test]
fn fingerprints_are_equal_for_equal_secrets_and_depend_on_the_key() {
    let text = format!("a = '{0}'\nb = '{0}'\n", fill("hf_{A34}", 1));
    let one = found("a.py", &text);
    assert_eq!(one[0].fingerprint, one[1].fingerprint);
    let other = read(&SourceFile::new("a.py", text.into_bytes()), &[4; 32]).found;
    assert_ne!(one[0].fingerprint, other[0].fingerprint);
}

#[test]
fn columns_count_characters_and_lines_are_those_of_the_file() {
    let key = fill("hf_{A34}", 1);
    let secrets = found("a.txt", &format!("ä\nöö {key} {}\n", fill("gsk_{A52}", 1)));
    assert_eq!((secrets[0].line, secrets[0].column, secrets[0].end_column), (2, 4, 41));
    assert_eq!(secrets[1].column, 42);
}

#[test]
fn lockfiles_images_and_minified_files_are_skipped() {
    for (path, wanted) in [
        ("src/a.py", true),
        (".env", true),
        ("k.pem", true),
        ("notebooks/a.ipynb", true),
        ("package-lock.json", false),
        ("Cargo.lock", false),
        ("go.sum", false),
        ("a.svg", false),
        ("static/a.min.js", false),
        ("a.js.map", false),
    ] {
        assert_eq!(
            wants(path, Language::of_path(path), Zone::of_path(path, "")),
            wanted,
            "{path}"
        );
    }
}

#[test]
fn mask_takes_every_secret_out_and_leaves_the_rest() {
    let key = fill("sk-ant-api03-{B93}AA", 1);
    assert_eq!(mask(&format!("call({key}) # ok")), "call(sk-a****) # ok");
    let password = fill("{A12}", 1);
    assert_eq!(
        mask(&format!("redis://:x@h and postgres://app:{password}@db/x")),
        "redis://:****@h and postgres://app:****@db/x"
    );
    let plain = "for line in text.lines(): print(line)";
    assert!(matches!(mask(plain), std::borrow::Cow::Borrowed(text) if text == plain));
}

#[test]
fn the_head_of_a_key_with_dots_behind_it_is_a_sample_whatever_follows() {
    let guide = "```bash\nGITHUB_APP_ID=123456\nGITHUB_PRIVATE_KEY=\"-----BEGIN RSA PRIVATE KEY-----...\"\nPORT=3000\n```\n\n\
        ## Development\n\ninstall\nconfigure\nsummarise\ndeployments\nenvironment\nrepositories\nnotifications\n";
    assert!(found("README.md", guide).is_empty());
}

/// Pieces that send the finder down its longest ways.
const HOSTILE: &[&str] = &[
    "key=",
    "key:",
    "key-",
    "token: \"",
    "sk-",
    "sk-proj-",
    "eyJ-",
    "eyJhbGciOiJ9.",
    "://a:b@",
    "://",
    "kind: secret\n",
    "kind: secret\ndata:\n a: b\n",
    "curl -u ",
    "curl\\\n",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "A",
    "AAAA+",
    "0",
    "1|",
    "Q~",
    ":AA",
    "-us1",
    "{{",
    "password=\"a",
    "\\",
    "\"",
    "hf_",
    "pat.",
    "MT",
    "é",
    "key=\u{1F600}",
    "name: key\nvalue: ",
];

#[test]
#[ignore = "slow: run by cargo xtask slow"]
fn the_work_on_a_hostile_megabyte_grows_with_its_length() {
    for piece in HOSTILE {
        let text = piece.repeat(1_000_000 / piece.len());
        grows_with_length(piece, text.len(), |length| {
            found("a.txt", &text[..text.floor_char_boundary(length)])
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,400}", bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = found("a.yaml", &text);
        let _ = mask(&text);
        let _ = read(&SourceFile::new("a.txt", bytes), &[0; 32]);
    }

    #[test]
    fn no_mix_of_hostile_pieces_makes_it_panic(pieces in proptest::collection::vec(0..HOSTILE.len(), 0..60), path in "[a-z]{1,3}\\.(py|yaml|env|json|xml|sh)") {
        let text: String = pieces.iter().map(|piece| HOSTILE[*piece]).collect();
        let _ = found(&path, &text);
        let _ = mask(&text);
    }

    #[test]
    fn facts_and_masked_text_never_contain_the_secret(row in 0..FORMS.len(), seed in 1_u64..10_000, before in "[a-z ]{0,20}", name in "(api_key|OPENAI_API_KEY|password|token)") {
        let secret = fill(FORMS[row].1, seed);
        let text = format!("{before}\n{name} = \"{secret}\"\n");
        let file = SourceFile::new("src/app.py", text.as_bytes().to_vec());
        let facts = read(&file, &[9; 32]);
        let json = serde_json::to_string(&facts).unwrap();
        prop_assert!(!json.contains(&secret));
        for found in &facts.found {
            // No six characters of any secret in a row, apart from the mark that everybody knows.
            let line = text.lines().nth(found.line as usize - 1).unwrap();
            let value: String = line.chars().skip(found.column as usize - 1).take((found.end_column - found.column) as usize).collect();
            if value.len() >= 16 {
                prop_assert!(!json.contains(&value));
                prop_assert!(!found.masked.contains(&value[..6]));
            }
            prop_assert!(!mask(&text).contains(&value));
        }
    }
}

#[test]
fn a_public_token_is_not_a_secret_and_a_service_token_is() {
    let line = |head: &str| format!("VITE_SUPABASE_ANON_KEY={head}{}\n", fill("{A43}", 3));
    let anon = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZSIsInJlZiI6InF6a3d2Ym5tdHJwbHNkZmciLCJyb2xlIjoiYW5vbiIsImlhdCI6MTczNjQxMjM0NSwiZXhwIjoyMDUxOTg4MzQ1fQ.";
    let service = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZSIsInJlZiI6InF6a3d2Ym5tdHJwbHNkZmciLCJyb2xlIjoic2VydmljZV9yb2xlIiwiaWF0IjoxNzM2NDEyMzQ1LCJleHAiOjIwNTE5ODgzNDV9.";
    assert!(found("frontend/.env.production", &line(anon)).is_empty());
    assert!(!found("frontend/.env.production", &line(service)).is_empty());
}

#[test]
fn the_token_in_the_address_of_a_stored_file_is_none() {
    let token = fill("{H8}-{H4}-{H4}-{H4}-{H12}", 4);
    let stored =
        format!("export const cover = [\n  \"https://storage.example.com/o/undefined?alt=media&token={token}\",\n];\n");
    assert!(found("src/data.js", &stored).is_empty());
    let named = format!("DEFINED_API_KEY=\"{}\"\n", fill("{A40}", 5));
    assert_eq!(found("deploy/.env", &named).len(), 1);
    let nobody = format!("UNDEFINED_NAME=\"{}\"\n", fill("{A40}", 5));
    assert!(
        found("deploy/.env", &nobody)
            .iter()
            .all(|secret| !secret.title.contains("defined"))
    );
}

#[test]
fn a_public_client_key_is_not_a_secret_and_the_same_key_in_code_is() {
    let key = fill("AIzaSy{A33}", 1);
    let client = format!("{{\"client\": [{{\"api_key\": [{{\"current_key\": \"{key}\"}}]}}]}}\n");
    assert!(found("app/google-services.json", &client).is_empty());
    assert!(found("lib/firebase_options.dart", &client).is_empty());
    assert_eq!(found("app/settings.json", &client).len(), 1);
    let web = format!(
        "const config = {{\n  apiKey: \"{key}\",\n  authDomain: \"a.firebaseapp.com\",\n  messagingSenderId: \"1042\",\n}};\n"
    );
    assert!(found("src/firebase.js", &web).is_empty());
    let copied = format!("key := \"{key}\"\nagent := \"com.google.android.youtube/18.11\"\n");
    assert!(found("client.go", &copied).is_empty());
    let code = format!("const client = new GoogleGenAI({{\n  apiKey: \"{key}\",\n}});\n");
    assert_eq!(found("src/gemini.js", &code).len(), 1);
}

#[test]
fn a_documented_request_body_contains_no_secret() {
    let token = fill("{A32}", 1);
    let body =
        format!("{{\n  \"user\": \"jo\",\n  \"userPass\": \"Brook-Lantern7\",\n  \"encryptionKey\": \"{token}\"\n}}\n");
    for head in [
        "POST /auth/login\nContent-Type: application/json\n\n",
        "# Response\n",
        "HTTP/1.1 200 OK\n\n",
    ] {
        let text = format!("### Log in\n\n```bash\n{head}{body}```\n");
        assert!(found("docs.md", &text).is_empty(), "{text}");
    }
    // Settings that a document shows are those of somebody, and so is a key whose form tells its service.
    assert!(!found("docs.md", &format!("### Settings\n\n```json\n{body}```\n")).is_empty());
    let key = fill("ghp_{A36}", 1);
    let named = format!("```bash\nPOST /hooks\n\n{{\"token\": \"{key}\"}}\n```\n");
    assert_eq!(found("docs.md", &named).len(), 1);
}

#[test]
fn a_published_sample_token_is_not_a_secret() {
    let token = |payload: &str| {
        format!(
            "token = \"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{payload}.{}\"\n",
            fill("{A43}", 3)
        )
    };
    let sample = "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ";
    let other = "eyJzdWIiOiI4MzE0NTY3NzkwIiwibmFtZSI6Ikpvbm5hIERhZSIsImlhdCI6MTcxNjIzOTc0MX0";
    assert!(found("a.go", &token(sample)).is_empty());
    assert!(!found("a.go", &token(other)).is_empty());
}

#[test]
fn a_token_that_a_document_shows_as_a_sample_is_none() {
    let token = fill("{D9}:AA{B33}", 5);
    let said = |words: &str| found("README.md", &format!("{words} {token}\n")).len();
    assert_eq!(said("In sample above it's"), 0);
    assert_eq!(said("The token of your bot looks like"), 0);
    assert_eq!(said("The token of our bot is"), 1);
    assert_eq!(said("It should look something like this:\n```\ntoken ="), 0);
    // A key whose form leaves no doubt may be live, whatever the document says of it.
    let key = fill("sk-proj-{B74}T3Blbk{J}{B74}", 3);
    assert_eq!(found("README.md", &format!("It looks like {key}\n")).len(), 1);
    // The samples of Telegram itself, wherever they stand; the second part is that of its documentation.
    let published = ["123456:ABC-DEF1234ghIkl", "-zyx57W2v1u123ew11"].concat();
    assert_eq!(
        found(
            "src/page.tsx",
            &format!("<Code>{{`TELEGRAM_BOT_TOKEN={published}`}}</Code>\n")
        )
        .len(),
        0
    );
    assert_eq!(
        found(
            "config.go",
            "return Config{DashKey: os.Getenv(\"DASHSCOPE_API_KEY\"), BailianBaseURL: os.Getenv(\"B\")}\n"
        )
        .len(),
        0
    );
    assert_eq!(
        found("bot.py", &format!("# looks like\nTOKEN = \"{token}\"\n")).len(),
        1
    );
}

#[test]
fn a_password_that_says_password_is_a_placeholder() {
    for sample in [
        "SecurePass123",
        "SecurePassword123!",
        "MyPassword2024",
        "strong-pass-1",
        "WrongPass1!",
        "securepassword123",
        "securepass123",
    ] {
        assert!(
            found("src/a.ts", &format!("const password = '{sample}';\n")).is_empty(),
            "{sample}"
        );
    }
    for meant in ["Brook7Lantern", "compass4Rides", "Vxq9mTr2Lpw"] {
        assert_eq!(
            found("src/a.ts", &format!("const password = '{meant}';\n")).len(),
            1,
            "{meant}"
        );
    }
}

#[test]
fn sequences_placeholders_and_public_values_are_not_secrets() {
    let none = |path: &str, text: &str| assert!(found(path, text).is_empty(), "{text}");
    none("README.md", "```\nTELEGRAM_TOKEN=123456:ABC-DEF\n```\n");
    none("a.py", "x = {\"discord_token\": \"MTIzNDU2Nzg5.ABCDEF.xyz123\"}\n");
    // The coordinates of a package.
    none(
        "build.gradle",
        "dependencies {\n    implementation 'io.jsonwebtoken:jjwt-api:0.12.3'\n    runtimeOnly \"io.jsonwebtoken:jjwt-jackson:$jjwt\"\n}\n",
    );
    none("a.py", "x = {\"discord_token\": \"MTExMjIyMzMz.GHI789.xyz-abc-123\"}\n");
    none(
        ".env",
        "AUTH_SECRET=\"troque-este-segredo-por-32-caracteres-aleatorios\"\n",
    );
    none(".env", "SESSION_KEY=remplacez-ce-secret-par-32-caracteres\n");
    none("page.html", "licenseKey:\"NRJS-9f9437d34f236b8a222\"\n");
    let point = fill("{A85}", 3);
    none("a.js", &format!("const VAPID_KEY = 'BO{point}';\n"));
    // Of the private half nothing is known beforehand.
    let own = fill("{A43}", 3);
    assert_eq!(found("a.js", &format!("const VAPID_PRIVATE_KEY = '{own}';\n")).len(), 1);
    assert_eq!(found("a.js", &format!("const PUSH_SECRET = 'Zz{point}';\n")).len(), 1);
    let token = format!("MTIzNDU2Nzg5.{}.{}", fill("{A6}", 4), fill("{A27}", 5));
    assert_eq!(
        found("a.py", &format!("x = {{\"discord_token\": \"{token}\"}}\n")).len(),
        1
    );
}

#[test]
fn a_random_password_in_a_document_is_a_secret() {
    let text = |password: &str| {
        format!("```ts\nconst user = createUser({{ email: 'a@b.example', password: '{password}' }});\n```\n")
    };
    assert!(found("docs/data.md", &text("harbour77")).is_empty());
    assert_eq!(found("SETUP.md", "DB_PASSWORD=Vxqzm1RnR3Ocmm7\n").len(), 1);
    assert_eq!(found("src/data.ts", "const password = 'harbour77';\n").len(), 1);
}

#[test]
fn the_name_of_a_model_beside_a_key_is_no_key() {
    for text in [
        "provider := NewOpenAIClient(\"test-key\", \"gpt-3.5-turbo\")",
        "OPENAI_API_KEY = \"gpt-4o-mini-2024-07-18\"",
    ] {
        assert!(rules("internal/llm/provider.go", text).is_empty(), "{text}");
    }
}

#[test]
fn what_a_line_that_was_commented_out_assigns_is_no_secret_unless_a_service_takes_it() {
    let token = fill("{A40}", 4);
    for start in ["# ", "#", "    # "] {
        assert!(found("app/settings.py", &format!("{start}SECRET_KEY = '{token}'\n")).is_empty());
        assert_eq!(
            found("app/settings.py", &format!("{start}OPENAI_API_KEY = '{token}'\n")).len(),
            1
        );
    }
    assert!(found("src/auth.ts", &format!("// const jwtSecret = '{token}';\n")).is_empty());
    assert_eq!(
        found("src/auth.ts", &format!("const jwtSecret = '{token}'; // signs\n")).len(),
        1
    );
    assert_eq!(found("app/settings.py", &format!("SECRET_KEY = '{token}'\n")).len(), 1);
    assert_eq!(
        found("app/settings.py", &format!("# db_password = '{token}'\n")).len(),
        1
    );
    let key = fill("ghp_{A36}", 1);
    assert_eq!(found("app/settings.py", &format!("# token = '{key}'\n")).len(), 1);
    let signed = format!(
        "io-v2-eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{}.{}",
        fill("{A40}", 6),
        fill("{A60}", 7)
    );
    assert_eq!(found("app/review.py", &format!("# TOKEN = '{signed}'\n")).len(), 1);
}

#[test]
fn a_dummy_key_in_a_test_is_not_a_secret_and_a_used_key_is() {
    let key = fill("sk-{A36}", 5);
    let set = format!("items.put(\"open-ai.token\", \"{key}\");\n");
    let path = "src/test/java/a/SettingsTest.java";
    assert_eq!(found(path, &set).len(), 1);
    assert!(found(path, &format!("{set}assertEquals(\"{key}\", settings.getToken());\n")).is_empty());
    assert!(found(path, &set.replace("sk-", "sk-test-")).is_empty());
    // In the product the same value is one, whatever it is held against.
    assert_eq!(
        found("src/main/java/a/Settings.java", &set.replace("sk-", "sk-unit-")).len(),
        1
    );
    let formed = fill("sk-proj-{B74}T3Blbk{J}{B74}", 2);
    let uses = format!("token = \"{formed}\"\nassert \"{formed}\" == settings.token\n");
    assert_eq!(found("tests/test_settings.py", &uses).len(), 2);
    // The head of a token alone, behind the mark of a service.
    let head = format!(
        "token = \"sk-{}{}\"\n",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
        fill("{A13}", 2)
    );
    assert!(found("src/openai.py", &head.replace("token", "openai_token")).is_empty());
}

#[test]
fn what_is_shorter_than_any_key_of_its_form_is_a_sample() {
    let line = |form: &str| format!("ENV_OPENAI_API_KEY={}\n", fill(form, 7));
    assert!(rules("README.md", &line("sk-{A13}")).is_empty());
    assert!(!rules("README.md", &line("sk-{A40}")).is_empty());
}
