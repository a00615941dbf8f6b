//! Applicability: interactions with users, systems and libraries, missing documents, and notices without an obligation.

use engine_model::{Applicability, Applies, FindingType, ObligationRecord, ObligationStatus, Severity, fixture};

use super::{high_risk, today};
use crate::{Evaluation, Settings, scan_memory};

fn scan(text: &str) -> Evaluation {
    with(text, &today())
}

fn with(text: &str, settings: &Settings) -> Evaluation {
    scan_memory(&fixture(text).unwrap(), settings)
}

fn record<'a>(evaluation: &'a Evaluation, id: &str) -> &'a ObligationRecord {
    let system = evaluation.systems.first().unwrap();
    system
        .obligations
        .iter()
        .find(|record| record.obligation_id == id)
        .unwrap()
}

fn asks(evaluation: &Evaluation, id: &str) -> bool {
    evaluation
        .systems
        .iter()
        .any(|system| system.questions.iter().any(|question| question.id == id))
}

#[test]
fn untraced_answer_leaves_disclosure_obligation_open() {
    // A model asked behind an interface, a stream or a store of a phone: nothing shows where the answer goes.
    for text in [
        "//- src/chat.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport class Chat {\n  async chat(request: Request, onChunk: (text: string) => void) {\n    const stream = await client.chat.completions.create({ model: 'gpt-4.1', messages: request.messages, stream: true });\n    for await (const part of stream) onChunk(part.choices[0].delta.content);\n  }\n}\n",
        "//- src/main.rs\nuse async_openai::Client;\nasync fn handle_message(bot: Bot, text: String) {\n    let client = Client::new();\n    let reply = client.chat().create(request(text)).await.unwrap();\n    deliver(bot, reply).await;\n}\nfn main() {\n    start(handle_message);\n}\n",
    ] {
        let evaluation = scan(text);
        let told = record(&evaluation, "OBL-094");
        assert_eq!(told.applies, Applies::Undetermined, "{}", told.because);
        assert!(asks(&evaluation, "direct-interaction"));
        assert!(!told.because.contains("not so"), "{}", told.because);
    }
}

#[test]
fn unattended_programs_and_measuring_models_are_ruled_out_with_reason() {
    let job = "//- nightly.py\nfrom openai import OpenAI\nclient = OpenAI()\ndef run():\n    text = open('news.txt').read()\n    summary = client.responses.create(model='gpt-4.1', input=text).output_text\n    open('summary.txt', 'w').write(summary)\nif __name__ == '__main__':\n    run()\n";
    let evaluation = scan(job);
    let told = record(&evaluation, "OBL-094");
    assert_eq!(told.applies, Applies::DoesNotApply, "{}", told.because);
    assert!(told.because.contains("nightly.py"), "{}", told.because);
    // The same beside what serves a page: people stand in front of it.
    let served = scan(&format!(
        "{job}//- requirements.txt\nopenai==1.54.3\nstreamlit==1.40.0\n"
    ));
    assert_eq!(record(&served, "OBL-094").applies, Applies::Undetermined);
    // What goes in was not told.
    let open = scan(&job.replace("open('news.txt').read()", "fetch_anything()"));
    assert_eq!(record(&open, "OBL-094").applies, Applies::Undetermined);
    let measures = scan(
        "//- app.py\nimport joblib\nfrom flask import Flask, request\napp = Flask(__name__)\nmodel = joblib.load('m.joblib')\n@app.post('/size')\ndef size():\n    return {'size': int(model.predict([[request.json['x']]])[0])}\n",
    );
    let told = record(&measures, "OBL-094");
    assert_eq!(told.applies, Applies::DoesNotApply);
    assert!(
        told.because.contains("measure, classify or recognise"),
        "{}",
        told.because
    );
    assert_eq!(record(&measures, "OBL-095").applies, Applies::DoesNotApply);
}

#[test]
fn page_with_conversation_is_interaction() {
    let store = "//- src/store.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport async function complete(messages: Message[]) {\n  return client.chat.completions.create({ model: 'gpt-4.1', messages });\n}\n";
    let page = "//- src/Talk.tsx\nexport function Talk({ messages, send }) {\n  return <div>{messages.map((m) => <p key={m.id}>{m.text}</p>)}<form onSubmit={send}><textarea aria-label=\"Message\" /></form></div>;\n}\n";
    assert_eq!(
        record(&scan(&format!("{store}{page}")), "OBL-094").applies,
        Applies::Applies
    );
    let list = "//- src/List.tsx\nexport function List({ rows }) {\n  return <div>{rows.map((r) => <p key={r.id}>{r.text}</p>)}</div>;\n}\n";
    assert_eq!(
        record(&scan(&format!("{store}{list}")), "OBL-094").applies,
        Applies::Undetermined
    );
}

#[test]
fn package_started_by_application_is_no_library() {
    let tree = |app: &str| {
        format!(
            "//- packages/lib/core/package.json\n{{\"name\": \"@acme/core\", \"main\": \"./dist/index.js\", \"types\": \"./dist/index.d.ts\", \"dependencies\": {{\"openai\": \"^4.97.0\"}}}}\n\
             //- packages/lib/core/src/ask.ts\nimport OpenAI from 'openai';\nexport class Ask {{\n  run(text: string) {{ return new OpenAI().responses.create({{ model: 'gpt-4.1', input: text }}); }}\n}}\n\
             //- packages/apps/bot/package.json\n{app}\n//- packages/apps/bot/src/index.ts\nimport {{ run }} from '@acme/core';\nrun();\n"
        )
    };
    let deployed = scan(&tree(
        "{\"name\": \"@acme/bot\", \"main\": \"./dist/index.js\", \"scripts\": {\"deploy\": \"wrangler deploy\"}, \"dependencies\": {\"@acme/core\": \"workspace:*\"}}",
    ));
    assert_eq!(
        deployed.applicability,
        Applicability::SystemsFound,
        "{}",
        deployed.reason
    );
    assert_eq!(deployed.systems[0].scope, "packages/apps/bot");
    // One that does not need it, needs it to write it, or is only tried out while it is written, makes it no system.
    for app in [
        "{\"name\": \"@acme/site\", \"scripts\": {\"deploy\": \"wrangler deploy\"}}",
        "{\"name\": \"@acme/site\", \"scripts\": {\"deploy\": \"wrangler deploy\"}, \"devDependencies\": {\"@acme/core\": \"workspace:*\"}}",
        "{\"name\": \"@acme/play\", \"scripts\": {\"dev\": \"vite\"}, \"dependencies\": {\"@acme/core\": \"workspace:*\"}}",
    ] {
        let offered = scan(&tree(app));
        assert_eq!(
            offered.applicability,
            Applicability::Library,
            "{app}: {}",
            offered.reason
        );
    }
}

#[test]
fn crate_with_window_configuration_is_application() {
    let tree = |beside: &str| {
        format!(
            "//- src-tauri/Cargo.toml\n[package]\nname = \"notes\"\nversion = \"0.1.0\"\n\n[lib]\nname = \"notes_lib\"\ncrate-type = [\"staticlib\", \"cdylib\", \"rlib\"]\n\n[dependencies]\nreqwest = \"0.12\"\n{beside}\
             //- src-tauri/src/main.rs\nfn main() {{\n    notes_lib::run()\n}}\n\
             //- src-tauri/src/lib.rs\nmod ask;\npub fn run() {{}}\n\
             //- src-tauri/src/ask.rs\npub async fn ask(text: String) -> String {{\n    let body = serde_json::json!({{\"model\": \"gpt-4.1\", \"messages\": [{{\"role\": \"user\", \"content\": text}}]}});\n    reqwest::Client::new().post(\"https://api.openai.com/v1/chat/completions\").json(&body).send().await.unwrap().text().await.unwrap()\n}}\n"
        )
    };
    let framed = scan(&tree("//- src-tauri/tauri.conf.json\n{\"productName\": \"notes\"}\n"));
    assert_eq!(framed.applicability, Applicability::SystemsFound, "{}", framed.reason);
    let bare = scan(&tree("//- web/tauri.conf.json\n{\"productName\": \"other\"}\n"));
    assert_eq!(bare.applicability, Applicability::Library, "{}", bare.reason);
}

#[test]
fn deployed_functions_package_is_application() {
    let tree = |beside: &str| {
        format!(
            "//- bot/package.json\n{{\"name\":\"bot\",\"version\":\"1.0.0\",\"main\":\"serverless.ts\",\"dependencies\":{{\"openai\":\"4.26.0\"}}}}\n{beside}\
             //- bot/src/handler.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport const main = async (event: any) => client.responses.create({{ model: 'gpt-4.1-2025-04-14', input: event.text }});\n"
        )
    };
    let put = scan(&tree("//- bot/serverless.ts\nmodule.exports = { service: 'bot' };\n"));
    assert_eq!(put.applicability, Applicability::SystemsFound, "{}", put.reason);
    let other = scan(&tree("//- site/serverless.yml\nservice: site\n"));
    assert_eq!(other.applicability, Applicability::Library, "{}", other.reason);
}

#[test]
fn editor_or_browser_extension_is_application() {
    let tree = |package: &str, beside: &str| {
        format!(
            "//- package.json\n{{\"name\": \"helper\", \"main\": \"./dist/a.js\", {package}\"dependencies\": {{\"openai\": \"^4.97.0\"}}}}\n{beside}\
             //- src/ask.ts\nimport OpenAI from 'openai';\nexport function ask(text: string) {{\n  return new OpenAI().responses.create({{ model: 'gpt-4.1', input: text }});\n}}\n"
        )
    };
    let of_browser = "//- src/manifest.json\n{\"manifest_version\": 3, \"name\": \"Helper\", \"background\": {\"service_worker\": \"a.js\"}}\n";
    for (package, beside) in [
        (
            "\"engines\": {\"vscode\": \"^1.90.0\"}, \"contributes\": {\"commands\": []}, ",
            "",
        ),
        ("", of_browser),
    ] {
        let found = scan(&tree(package, beside));
        assert_eq!(found.applicability, Applicability::SystemsFound, "{}", found.reason);
    }
    for (package, beside) in [
        ("\"engines\": {\"node\": \">=18\"}, ", ""),
        ("\"engines\": {\"vscode\": \"^1.90.0\"}, ", ""),
        ("", "//- src/manifest.json\n{\"name\": \"Helper\", \"icons\": []}\n"),
        (
            "",
            "//- other/package.json\n{\"name\": \"other\"}\n//- other/manifest.json\n{\"manifest_version\": 3, \"action\": {}}\n",
        ),
    ] {
        let offered = scan(&tree(package, beside));
        assert_eq!(offered.applicability, Applicability::Library, "{}", offered.reason);
    }
}

/// A route that shows people an answer.
const ROUTE: &str = "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI, OpenAIError\napp = FastAPI()\nclient = OpenAI()\n@app.post('/chat')\ndef chat(message: str):\n    try:\n        reply = client.responses.create(model='MODEL', input=message)\n    except OpenAIError:\n        return {'answer': 'Later.'}\n    return {'answer': reply.output_text}\n";

#[test]
fn missing_document_is_reported_only_for_certain_obligation() {
    let text = ROUTE.replace("MODEL", "gpt-4.1-2025-04-14");
    let open = scan(&text);
    // Whether special categories of data are used against bias is not known: that is a question and no gap.
    let bias = record(&open, "OBL-013");
    assert_eq!(
        (bias.applies, bias.status),
        (Applies::Undetermined, ObligationStatus::NotEvaluated)
    );
    assert!(bias.question.is_some());
    // Art. 50 asks to tell people, not for a paper.
    assert!(
        open.findings
            .iter()
            .all(|finding| finding.check_id != "l1-missing-document")
    );
    let stated = with(&text, &high_risk());
    let paper = record(&stated, "OBL-030");
    assert_eq!(
        (paper.applies, paper.status),
        (Applies::Upcoming, ObligationStatus::Gap)
    );
    let said = &paper.evidence[0].reference;
    assert!(
        said.contains("technical documentation") && said.contains("Art. 11"),
        "{said}"
    );
    for evaluation in [&open, &stated] {
        for system in &evaluation.systems {
            for gap in system
                .obligations
                .iter()
                .filter(|record| record.status == ObligationStatus::Gap)
            {
                let told = evaluation.findings.iter().any(|finding| {
                    finding.obligation_id.as_deref() == Some(&gap.obligation_id) && finding.kind != FindingType::Pass
                });
                let named = gap
                    .evidence
                    .iter()
                    .any(|evidence| evidence.reference.starts_with("no "));
                assert!(told || named, "{}: {:?}", gap.obligation_id, gap.evidence);
            }
        }
    }
}

#[test]
fn retired_model_is_reported_without_obligation() {
    let of = |model: &str| -> Vec<FindingType> {
        scan(&ROUTE.replace("MODEL", model))
            .findings
            .iter()
            .filter(|finding| finding.check_id == "l3-retired-model")
            .map(|finding| finding.kind)
            .collect()
    };
    assert_eq!(of("gpt-3.5-turbo-0301"), [FindingType::Fail]);
    assert!(of("gpt-5.5").is_empty());
}

#[test]
fn retired_model_in_archive_folder_is_not_reported() {
    let told = |folder: &str| {
        let tree = ROUTE
            .replace("MODEL", "gpt-3.5-turbo-0301")
            .replace("//- app.py", &format!("//- {folder}/app.py"));
        assert_ne!(tree, ROUTE.replace("MODEL", "gpt-3.5-turbo-0301"), "{ROUTE}");
        scan(&tree)
            .findings
            .iter()
            .any(|finding| finding.check_id == "l3-retired-model")
    };
    assert!(told("service") && told("older"));
    assert!(!told("old") && !told("_archive/api") && !told("legacy/api"));
}

#[test]
fn api_key_in_model_argument_is_no_model() {
    let key = engine_scan_secrets::expand_examples("{{anthropic_key}}");
    let evaluation = scan(&ROUTE.replace("MODEL", &key));
    assert!(!evaluation.inventory.calls.is_empty());
    assert!(evaluation.inventory.calls.iter().all(|call| call.model.is_none()));
    assert!(evaluation.inventory.models.is_empty());
    assert!(evaluation.systems.iter().all(|system| system.models.is_empty()));
}

#[test]
fn prompt_that_hides_ai_is_gap_and_implies_interaction() {
    let text = ROUTE
        .replace("MODEL", "gpt-4.1-2025-04-14")
        .replace("input=message", "instructions=SYSTEM, input=message")
        .replace(
            "client = OpenAI()",
            "client = OpenAI()\nSYSTEM = 'You are Eva. Never say that you are a bot.'",
        );
    let found = |text: &str| {
        let evaluation = scan(text);
        evaluation
            .findings
            .iter()
            .filter(|finding| finding.check_id == "cross-concealed-ai")
            .map(|finding| (finding.kind, finding.line))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&text), [(FindingType::Fail, Some(5))]);
    assert!(found(&text.replace("Never say that you are a bot", "Always say that you are a bot")).is_empty());
    // A model that only measures talks with nobody.
    assert!(
        found("//- app.py\nimport joblib\nmodel = joblib.load('m.joblib')\nTEXT = 'Never say that you are a bot.'\nprint(model.predict([[1]]))\n")
            .is_empty()
    );
}

#[test]
fn emotion_inference_raises_question_on_place_of_use() {
    let reads = |actions: &str| {
        scan(&format!(
            "//- app.py\nfrom deepface import DeepFace\nfrom fastapi import FastAPI\napp = FastAPI()\n@app.post('/mood')\ndef mood(frame: str):\n    return DeepFace.analyze(frame, actions=['{actions}'])\n"
        ))
    };
    assert!(asks(&reads("emotion"), "art-5-emotion"));
    assert!(!asks(&reads("age"), "art-5-emotion"));
}

#[test]
fn prompt_that_judges_people_raises_area_question() {
    let system = |prompt: &str| {
        scan(&format!(
            "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\nPROMPT = '{prompt}'\n@app.post('/text')\ndef text(body: str):\n    reply = client.responses.create(model='gpt-4.1-2025-04-14', input=PROMPT + body)\n    return {{'text': reply.output_text}}\n"
        ))
    };
    let essay = system("You are a teacher. Grade the essay of the student: ");
    assert!(asks(&essay, "annex-iii-education"));
    assert!(
        essay
            .findings
            .iter()
            .all(|finding| finding.check_id != "l4-person-decision")
    );
    assert!(!asks(
        &system("You are a tutor. Help the student with the essay: "),
        "annex-iii-education"
    ));
    // A remark and a prompt that no call is given order nothing.
    let unused = "//- app.py\nfrom fastapi import FastAPI\nfrom openai import OpenAI\napp = FastAPI()\nclient = OpenAI()\n# Grade the essay of the student.\nOLD = 'Grade the essay of the student.'\n@app.post('/text')\ndef text(body: str):\n    return {'text': client.responses.create(model='gpt-4.1-2025-04-14', input=body).output_text}\n";
    assert!(!asks(&scan(unused), "annex-iii-education"));
}

/// A plugin of a site whose manifest for scripts names a `main` that is not there, as `npm init` leaves it.
const PLUGIN: &str = "//- package.json\n{ \"name\": \"talk\", \"main\": \"index.js\", \"scripts\": { \"check\": \"phpcs .\" } }\n\
    //- talk.php\n<?php\n/**\n * Plugin Name: Talk\n */\nrequire_once 'includes/class-talk.php';\nrequire_once 'includes/class-talk-public.php';\nfunction run_talk() {\n    $plugin = new Talk();\n    $plugin->run();\n}\nrun_talk();\n\
    //- includes/class-talk.php\n<?php\nclass Talk {\n    protected $loader;\n    public function __construct() {\n        $this->loader = new Talk_Loader();\n        $public = new Talk_Public();\n        $this->loader->add_action('wp_ajax_nopriv_ask', $public, 'answer');\n    }\n    public function run() { $this->loader->run(); }\n}\n\
    //- includes/class-talk-public.php\n<?php\nclass Talk_Public {\n    public function answer() {\n        $text = sanitize_text_field($_POST['text']);\n        $response = wp_remote_post('https://api.openai.com/v1/chat/completions', array(\n            'body' => wp_json_encode(array('model' => get_option('talk_model', 'text-davinci-003'), 'messages' => array(array('role' => 'user', 'content' => $text)))),\n        ));\n        $data = json_decode(wp_remote_retrieve_body($response), true);\n        wp_send_json_success($data['choices'][0]['message']['content']);\n    }\n}\n";

#[test]
fn site_plugin_is_application() {
    let found = scan(PLUGIN);
    assert_eq!(found.applicability, Applicability::SystemsFound, "{}", found.reason);
    let entries = &found.systems[0].entry_points;
    assert!(
        entries.iter().any(|entry| entry.name == "wp_ajax_nopriv_ask"),
        "{entries:?}"
    );
    let told = record(&found, "OBL-094");
    assert_eq!(told.applies, Applies::Applies, "{told:?}");
    assert!(
        found
            .findings
            .iter()
            .any(|finding| finding.check_id == "l3-retired-model")
    );
}

#[test]
fn script_manifest_covers_only_scripts() {
    let manifest = "//- package.json\n{ \"name\": \"talk\", \"main\": \"index.js\" }\n";
    let own = "//- index.js\nimport OpenAI from 'openai';\nexport const ask = (text) => new OpenAI().responses.create({ model: 'gpt-4.1', input: text });\n";
    let library = scan(&format!("{manifest}{own}"));
    assert_eq!(library.applicability, Applicability::Library, "{}", library.reason);
    let other = "//- lib/ask.py\nfrom openai import OpenAI\n\ndef ask(text):\n    return OpenAI().responses.create(model='gpt-4.1', input=text).output_text\n";
    let beside = scan(&format!("{manifest}{other}"));
    assert_eq!(beside.applicability, Applicability::SystemsFound, "{}", beside.reason);
    // Where the other language has a manifest that says so, it is a library as well.
    let offered = "//- composer.json\n{ \"name\": \"a/talk\", \"type\": \"library\" }\n//- src/Ask.php\n<?php\nnamespace A;\nclass Ask {\n    public function ask($text) {\n        $client = \\OpenAI::client('k');\n        return $client->chat()->create(['model' => 'gpt-4.1', 'messages' => [['role' => 'user', 'content' => $text]]]);\n    }\n}\n";
    let both = scan(&format!("{manifest}{offered}"));
    assert_eq!(both.applicability, Applicability::Library, "{}", both.reason);
}

#[test]
fn conditions_of_real_time_identification_apply_only_with_a_live_camera() {
    let chat = scan(&ROUTE.replace("MODEL", "gpt-5.5"));
    let conditions = record(&chat, "OBL-012");
    assert_eq!(conditions.applies, Applies::DoesNotApply);
    assert!(
        conditions.because.contains("nothing in the code or the profile shows"),
        "{}",
        conditions.because
    );
    assert_eq!(record(&chat, "OBL-009").applies, Applies::Applies);
    let watch = scan(
        "//- watch.py\nimport boto3\nimport cv2\nclient = boto3.client('rekognition')\ndef main():\n    camera = cv2.VideoCapture('rtsp://10.0.0.4/stream')\n    while True:\n        ok, frame = camera.read()\n        jpeg = cv2.imencode('.jpg', frame)[1].tobytes()\n        hits = client.search_faces_by_image(CollectionId='wanted-persons', Image={'Bytes': jpeg})\n        for hit in hits['FaceMatches']:\n            print(hit['Face']['ExternalImageId'])\nif __name__ == '__main__':\n    main()\n",
    );
    assert!(asks(&watch, "art-5-real-time-identification"));
    assert_eq!(record(&watch, "OBL-012").applies, Applies::Undetermined);
}

#[test]
fn password_of_a_load_test_stays_a_finding_below_high() {
    let of = |file: &str| {
        let tree = format!(
            "{}//- {file}\nuser = {{'password': 'Brook7Lantern!'}}\n",
            ROUTE.replace("MODEL", "gpt-5.5")
        );
        let evaluation = scan(&tree);
        let found: Vec<_> = evaluation
            .findings
            .iter()
            .filter(|finding| finding.check_id == "secret-generic-assignment")
            .map(|finding| (finding.kind, finding.severity))
            .collect();
        assert_eq!(found.len(), 1, "{file}: {found:?}");
        found[0]
    };
    assert_eq!(of("loadtests/locustfile.py"), (FindingType::Info, Severity::Medium));
    assert_eq!(of("accounts/users.py"), (FindingType::Fail, Severity::High));
}
