//! What kind of AI each place uses: from the path of the call with its arguments, the address of the request, the name
//! of the model, and the classes of a classifier of one's own. Which of them mean what is data of the catalogue.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine_catalogue::{CapabilityCall, DataSource, SourceKind, catalogue, fits};
use engine_model::{CallKind, Capability, TraceKind, Zone};
use engine_syntax::ir::{Expr, ExprId};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::arguments::Site;
use crate::calls::Found;
use crate::facts::{callee_name, symbols, texts_in};
use crate::flow::Flow;
use crate::memo::Memo;
use crate::shapes::Output;
use crate::values::{ExprRef, FunctionRef, Value, id, render};
use crate::world::World;
use crate::{Signal, SignalKind};

/// Lists of classes longer than this are no classes of emotions or traits.
const LABELS_MAX: usize = 64;

/// Places where pictures, cameras and web pages bring data in, with the flow from them.
pub(crate) struct Sources<'w, 'm> {
    /// From cameras and web pages. What reads a picture stands between them and the call, so it has a flow of its own.
    origins: Flow<'w, 'm>,
    pictures: Flow<'w, 'm>,
    marks: Vec<(SourceKind, ExprRef)>,
}

impl<'w, 'm> Sources<'w, 'm> {
    fn new(world: &'w World<'m>, handlers: HashSet<FunctionRef>) -> Self {
        let table = catalogue().capabilities();
        let mut marks = Vec::new();
        let mut origins = HashMap::default();
        let mut pictures = HashMap::default();
        for unit in 0..id(world.units.len()) {
            for call in &world.index(unit).calls {
                let at = ExprRef(unit, *call);
                let mut paths = symbols(world, at);
                if paths.is_empty() {
                    // What could not be resolved may still be a method with a telling name.
                    paths.push(format!("?.{}", callee_name(world, at)));
                }
                let row = paths
                    .iter()
                    .flat_map(|path| table.sources(path))
                    .find(|row| given(world, at, row));
                if let Some(row) = row {
                    let places = if row.kind == SourceKind::Picture {
                        &mut pictures
                    } else {
                        &mut origins
                    };
                    places.insert(at, marks.len());
                    marks.push((row.kind, at));
                }
            }
        }
        Self {
            origins: Flow::new(world, origins, handlers.clone()),
            pictures: Flow::new(world, pictures, handlers),
            marks,
        }
    }

    /// The cameras and pages from which the arguments of a call come.
    pub(crate) fn reaching(&self, at: ExprRef) -> Vec<(SourceKind, ExprRef)> {
        self.origins
            .of_arguments(at)
            .answers
            .iter()
            .filter_map(|mark| self.marks.get(mark).copied())
            .collect()
    }

    /// Whether a picture or a sound is among the arguments of a call.
    fn sees(&self, at: ExprRef) -> bool {
        !self.pictures.of_arguments(at).answers.is_empty() || !self.reaching(at).is_empty()
    }
}

/// Whether the texts that a call is given are of the wanted kind.
fn given(world: &World<'_>, at: ExprRef, row: &DataSource) -> bool {
    let Expr::Call { args, .. } = world.expr(at) else {
        return false;
    };
    if row.number {
        let values = world.argument(at, "#0");
        return args.is_empty() || values.iter().any(|value| matches!(value, Value::Number(_)));
    }
    if row.any.is_empty() {
        return true;
    }
    let mut texts: Vec<String> = args
        .iter()
        .flat_map(|arg| texts_in(world, ExprRef(at.0, arg.value)))
        .map(str::to_owned)
        .collect();
    for arg in args.iter().take(3) {
        let values = world.expand(&world.eval(ExprRef(at.0, arg.value)));
        texts.extend(world.text(&values).map(|parts| render(&parts)));
    }
    row.any
        .iter()
        .any(|pattern| texts.iter().any(|text| fits(pattern, text)))
}

/// Takes the conversations off calls whose facts are known: who has a text read aloud, or a picture made, talks with nobody.
pub(crate) fn without_conversations(found: &mut [Found]) {
    for record in found {
        let talks = record.call.capabilities.is_empty()
            || record.call.kind == CallKind::Declare
            || crate::facts::conversation::is_voice(&record.call);
        record
            .call
            .traces
            .retain(|trace| talks || trace.kind != TraceKind::Conversation);
    }
}

/// Fills in the capabilities of all records. The sources are given back where some record needs them.
pub(crate) fn fill<'w, 'm>(
    world: &'w World<'m>,
    flow: &Flow<'w, 'm>,
    handlers: &HashSet<FunctionRef>,
    found: &mut [Found],
) -> Option<Sources<'w, 'm>> {
    let table = catalogue().capabilities();
    // Many calls have one symbol, and many name one model.
    let mut rows: HashMap<String, Vec<_>> = HashMap::default();
    let mut models: HashMap<String, Vec<Capability>> = HashMap::default();
    for record in found.iter_mut() {
        let mut out = BTreeSet::new();
        let mut keeps = false;
        let symbol = record.path.symbol();
        let site = Site {
            at: record.at,
            path: &record.path,
        };
        let of_symbol = rows
            .entry(symbol.clone())
            .or_insert_with(|| table.calls(&symbol).collect());
        for row in of_symbol.iter().copied() {
            if agrees(world, &site, row) && is_read(world, record.at.0, &symbol) {
                out.extend(row.gives.iter().copied());
                keeps |= row.keeps;
            }
        }
        record.keeps = keeps;
        if let Some(address) = &record.address {
            out.extend(table.request(address, || texts_around(world, record.at)));
        }
        if let Some(model) = &record.call.model {
            let can = models
                .entry(model.clone())
                .or_insert_with(|| table.model(model).into_iter().collect());
            let stock = can.contains(&Capability::VoiceCloning) && names_a_stock_voice(world, &site);
            let kept = can.iter().copied();
            out.extend(kept.filter(|can| !stock || *can != Capability::VoiceCloning));
            if stock && !out.contains(&Capability::VoiceCloning) {
                out.insert(Capability::TextToSpeech);
            }
        }
        match record.output {
            Some(Output::Image) => drop(out.insert(Capability::ImageGeneration)),
            Some(Output::Video) => drop(out.insert(Capability::VideoGeneration)),
            Some(Output::Audio) if !out.iter().any(|known| known.is_media()) => {
                out.insert(Capability::TextToSpeech);
            }
            _ => {}
        }
        record.call.capabilities = out.into_iter().collect();
    }
    for which in crate::faces::told_apart(world, handlers, found) {
        found[which].call.capabilities.push(Capability::BiometricIdentification);
    }
    let sorted = classified(world, flow, found);
    let about_people = found.iter().any(|record| {
        record
            .call
            .capabilities
            .iter()
            .any(|known| known.is_biometric() || known.exposes_people())
    });
    if sorted.is_empty() && !about_people {
        return None;
    }
    let sources = Sources::new(world, handlers.clone());
    for (which, gives) in sorted {
        // Classes alone say little: texts have moods too. A picture or a sound must go in.
        if sources.sees(found[which].at) {
            let call = &mut found[which].call;
            call.capabilities.extend(gives);
            call.capabilities.sort_unstable();
            call.capabilities.dedup();
        }
    }
    Some(sources)
}

/// The texts of the function around a place: what a request asks for is often put together before it.
fn texts_around<'m>(world: &World<'m>, at: ExprRef) -> Vec<&'m str> {
    let index = world.index(at.0);
    let module = world.module(at.0);
    let mut out = Vec::new();
    let function = index
        .named_function_of(at.1)
        .or_else(|| index.outermost_function_of(at.1));
    for id in index.exprs_of(function) {
        match module.expr(id) {
            Expr::Str(text) if text.len() <= 200 => out.push(&**text),
            // The names of settings say it too: `negative_prompt`.
            Expr::Map(entries) => out.extend(entries.iter().filter_map(|entry| match module.expr(entry.key?) {
                Expr::Name(key) => Some(&**key),
                _ => None,
            })),
            _ => {}
        }
    }
    out
}

/// Answers that choose from a list of classes of emotions or traits: `EMOTIONS[argmax(model.predict(face))]`.
fn classified(world: &World<'_>, flow: &Flow<'_, '_>, found: &[Found]) -> Vec<(usize, Vec<Capability>)> {
    let table = catalogue().capabilities();
    let own = |which: usize| {
        let call = &found[which].call;
        call.kind == CallKind::Call && call.zone == Zone::Product && call.capabilities.is_empty()
    };
    if !(0..found.len()).any(own) {
        return Vec::new();
    }
    let mut out = Vec::new();
    let lists: Memo<ExprRef, Rc<[Capability]>> = Memo::default();
    let mut seen: HashSet<(usize, ExprRef)> = HashSet::default();
    for unit in 0..id(world.units.len()) {
        let module = world.module(unit);
        for (at, expr) in module.exprs.iter().enumerate() {
            let (object, key) = match &expr.kind {
                Expr::Index { object, key } => (*object, *key),
                Expr::Call { callee, args, .. } => match (module.expr(*callee), args.first()) {
                    (Expr::Member { object, name }, Some(arg)) if &**name == "get" => (*object, arg.value),
                    _ => continue,
                },
                _ => continue,
            };
            if world.index(unit).expr_scope[at] == crate::index::NONE {
                continue;
            }
            let object = ExprRef(unit, object);
            let literal = world.eval(object).iter().find_map(|value| match value {
                Value::Literal(at) => Some(*at),
                _ => None,
            });
            let Some(literal) = literal else { continue };
            let gives = lists.get_or(literal, || {
                let texts = texts_in(world, literal);
                if texts.len() > LABELS_MAX {
                    return Rc::default();
                }
                table.labels(&texts).into()
            });
            if gives.is_empty() {
                continue;
            }
            // What was said of an answer and a list once is not said again.
            for which in flow.origins(ExprRef(unit, key)).answers.iter() {
                if own(which) && seen.insert((which, literal)) {
                    out.push((which, gives.to_vec()));
                }
            }
        }
    }
    out
}

/// Whether the argument that decides agrees with a row.
fn agrees(world: &World<'_>, site: &Site<'_>, row: &CapabilityCall) -> bool {
    if row.argument.is_empty() {
        return true;
    }
    let values = row
        .argument
        .iter()
        .map(|reference| world.refer(site, reference))
        .find(|values| !values.is_empty())
        .unwrap_or_default();
    if let Some(single) = row.single {
        return single == is_single(world, &values);
    }
    if values.is_empty() {
        return row.absent && !passes_anything_on(world, site.at);
    }
    values.iter().any(|value| {
        let names: Vec<String> = match value {
            Value::Literal(at) => texts_in(world, *at)
                .into_iter()
                .chain(members_of(world, *at))
                .map(str::to_owned)
                .collect(),
            Value::Path(path) => path
                .segs
                .iter()
                .filter_map(|seg| match seg {
                    crate::values::Seg::Name(name) => Some(name.to_string()),
                    _ => None,
                })
                .collect(),
            Value::Text(parts) => vec![render(parts)],
            _ => Vec::new(),
        };
        row.any
            .iter()
            .any(|wanted| wanted == "*" || names.iter().any(|name| name == wanted))
    })
}

/// Whether a model that can clone voices is asked for one that it brings along, by its name, and given no sound to clone.
fn names_a_stock_voice(world: &World<'_>, site: &Site<'_>) -> bool {
    let Expr::Call { args, .. } = world.expr(site.at) else {
        return false;
    };
    let given = |wanted: &str| args.iter().any(|arg| arg.name.as_deref() == Some(wanted));
    given("speaker") && !given("speaker_wav") && !passes_anything_on(world, site.at)
}

/// The names of the constants in a list: `[Modality.TEXT, Modality.IMAGE]`.
fn members_of<'w>(world: &World<'w>, at: ExprRef) -> Vec<&'w str> {
    let module = world.module(at.0);
    match module.expr(at.1) {
        Expr::List(parts) => parts
            .iter()
            .filter_map(|part| match module.expr(*part) {
                Expr::Member { name, .. } => Some(&**name),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether a list with one element is given.
fn is_single(world: &World<'_>, values: &[Value]) -> bool {
    values.iter().any(|value| match value {
        Value::Literal(at) => matches!(world.expr(*at), Expr::List(parts) if parts.len() == 1),
        _ => false,
    })
}

/// Whether arguments are spread into a call, so that one may be among them.
fn passes_anything_on(world: &World<'_>, at: ExprRef) -> bool {
    matches!(world.expr(at), Expr::Call { args, .. } if args.iter().any(|arg| arg.spread))
}

/// Signals that raise the questions of Annex III point 1, from what the calls can do.
pub(crate) fn signals(found: &[Found]) -> Vec<Signal> {
    let mut out = Vec::new();
    for (which, record) in found.iter().enumerate() {
        let call = &record.call;
        if call.kind != CallKind::Call {
            continue;
        }
        let mut add = |kind| {
            out.push(Signal {
                kind,
                file: call.file.clone(),
                line: call.line,
                detail: call.symbol.clone(),
                call: which,
            });
        };
        if call.can(Capability::EmotionInference) {
            add(SignalKind::Emotion);
        }
        if call.capabilities.iter().any(|known| known.is_biometric()) {
            add(SignalKind::Biometric);
        }
    }
    out
}

/// All expressions below one, itself included, lambdas and blocks left out.
pub(crate) fn below(world: &World<'_>, at: ExprRef, most: usize) -> Vec<ExprId> {
    let mut out = Vec::new();
    let mut stack = vec![at.1];
    while let Some(next) = stack.pop() {
        if out.len() >= most {
            break;
        }
        out.push(next);
        stack.extend(world.module(at.0).children(next));
    }
    out
}

/// Whether what a step of a chain adds to a result is read in its file at all: of `withAgeAndGender` the age or the gender.
fn is_read(world: &World<'_>, unit: u32, symbol: &str) -> bool {
    const READ: [&str; 3] = ["age", "gender", "genderProbability"];
    !symbol.ends_with("withAgeAndGender")
        || world.module(unit).exprs.iter().any(|node| {
            matches!(&node.kind, Expr::Name(name) | Expr::Member { name, .. } | Expr::Str(name) if READ.contains(&&**name))
        })
}

#[cfg(test)]
mod tests {
    use engine_model::{CallKind, TraceKind, fixture};

    use crate::{CodeJoin, ManifestNames, join, read};

    fn scan(tree: &str) -> CodeJoin {
        let tree = fixture(tree).unwrap();
        let files: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
        join(&files, &ManifestNames::default(), &tree)
    }

    /// Whether a trace is told of any call, whatever it can do.
    fn of_any_call(kind: TraceKind) -> bool {
        use TraceKind::{
            Conversation, FailureAnswered, HandedOver, Kept, Lost, ModelNamed, Optional, OwnerOnly, RunsAnswer,
            ToldOfAi, Unreached,
        };
        matches!(
            kind,
            Kept | Conversation
                | ToldOfAi
                | Unreached
                | Optional
                | OwnerOnly
                | HandedOver
                | Lost
                | ModelNamed
                | RunsAnswer
                | FailureAnswered
        )
    }

    /// Calls as `line: capabilities; traces`, those without either left out.
    fn told(tree: &str) -> String {
        scan(tree)
            .calls
            .iter()
            .filter(|call| {
                let traced = call.traces.iter().any(|trace| !of_any_call(trace.kind));
                call.kind == CallKind::Call && (traced || !call.capabilities.is_empty())
            })
            .map(|call| {
                let name = |value: serde_json::Value| value.as_str().unwrap_or("").to_owned();
                let can: Vec<String> = call
                    .capabilities
                    .iter()
                    .map(|known| name(serde_json::to_value(known).unwrap()))
                    .collect();
                let traces: Vec<String> = call
                    .traces
                    .iter()
                    .filter(|trace| !of_any_call(trace.kind))
                    .map(|trace| name(serde_json::to_value(trace.kind).unwrap()))
                    .collect();
                format!("{}: {}; {}", call.line, can.join(" "), traces.join(" "))
            })
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[track_caller]
    fn check(tree: &str, expected: &str) {
        assert_eq!(told(tree), expected, "{tree}");
    }

    #[test]
    fn what_is_asked_for_decides_what_a_call_can_do() {
        let analyze = |args: &str| {
            told(&format!(
                "//- a.py\nfrom deepface import DeepFace\nprint(DeepFace.analyze('x.jpg'{args}))\n"
            ))
        };
        assert_eq!(analyze(", actions=['emotion']"), "2: emotion_inference; ");
        assert_eq!(analyze(", actions=('age', 'gender')"), "2: biometric_categorisation; ");
        assert_eq!(analyze(", actions=['race']"), "2: sensitive_categorisation; ");
        assert_eq!(
            analyze(""),
            "2: biometric_categorisation sensitive_categorisation emotion_inference; "
        );
        assert_eq!(analyze(", **options"), "");
    }

    #[test]
    fn one_known_face_is_a_verification_and_many_are_an_identification() {
        check(
            "//- a.py\nimport face_recognition\ndef same(a, b):\n    return face_recognition.compare_faces([a], b)\n",
            "3: biometric_verification; ",
        );
        check(
            "//- a.py\nimport face_recognition\ndef who(known, b):\n    return face_recognition.compare_faces(known, b)\n",
            "3: biometric_identification; ",
        );
    }

    #[test]
    fn the_command_that_is_sent_decides() {
        let send = |command: &str| {
            told(&format!(
                "//- a.ts\nimport {{ RekognitionClient, {command} }} from '@aws-sdk/client-rekognition';\nconst c = new RekognitionClient({{}});\nawait c.send(new {command}({{ CollectionId: 'x' }}));\n"
            ))
        };
        assert_eq!(send("SearchFacesByImageCommand"), "3: biometric_identification; ");
        assert_eq!(send("CompareFacesCommand"), "3: biometric_verification; ");
        assert_eq!(send("IndexFacesCommand"), "3: biometric_template; face_index");
        assert_eq!(send("DetectLabelsCommand"), "");
    }

    #[test]
    fn go_java_and_csharp_have_the_same_services() {
        check(
            "//- main.go\npackage main\n\nimport \"github.com/aws/aws-sdk-go-v2/service/rekognition\"\n\nfunc find() {\n\tc := rekognition.NewFromConfig(cfg)\n\tc.SearchFacesByImage(ctx, &rekognition.SearchFacesByImageInput{})\n}\n",
            "7: biometric_identification; ",
        );
        check(
            "//- src/main/java/a/A.java\npackage a;\nimport software.amazon.awssdk.services.rekognition.RekognitionClient;\nclass A {\n  private final RekognitionClient client = RekognitionClient.create();\n  Object find(Object request) {\n    return client.searchFacesByImage(request);\n  }\n}\n",
            "6: biometric_identification; ",
        );
        check(
            "//- A.cs\nusing Amazon.Rekognition;\nclass A {\n  private readonly AmazonRekognitionClient client = new AmazonRekognitionClient();\n  public object Same(object request) => client.CompareFacesAsync(request);\n}\n",
            "4: biometric_verification; ",
        );
    }

    #[test]
    fn media_are_told_by_shape_model_and_address() {
        check(
            "//- a.py\nfrom openai import OpenAI\nc = OpenAI()\nc.images.generate(model='gpt-image-1', prompt='x')\nc.audio.speech.create(model='tts-1', voice='a', input='x')\nc.audio.transcriptions.create(model='whisper-1', file=f)\nc.responses.create(model='gpt-4.1', input='draw an image')\n",
            "3: image_generation; \n4: text_to_speech; \n5: transcription; ",
        );
        check(
            "//- a.py\nimport requests\nrequests.post('https://api.openai.com/v1/images/generations', json={'model': 'gpt-image-1', 'prompt': 'x'})\n",
            "2: image_generation; ",
        );
        check(
            "//- a.py\nimport replicate\nreplicate.run('black-forest-labs/flux-schnell', input={'prompt': 'x', 'disable_safety_checker': True})\n",
            "2: image_generation; safety_off",
        );
        check(
            "//- a.py\nfrom TTS.api import TTS\nTTS('tts_models/multilingual/multi-dataset/xtts_v2').tts_to_file(text='x', speaker_wav='v.wav', file_path='o.wav')\n",
            "2: text_to_speech voice_cloning; ",
        );
        // A voice that the model brings along is nobody's.
        check(
            "//- a.py\nfrom TTS.api import TTS\nTTS('tts_models/multilingual/multi-dataset/xtts_v2').tts_to_file(text='x', speaker=name, file_path='o.wav')\n",
            "2: text_to_speech; ",
        );
        check(
            "//- a.py\nfrom TTS.api import TTS\nTTS('tts_models/multilingual/multi-dataset/xtts_v2').tts_to_file(text='x', speaker=name, speaker_wav=wav)\n",
            "2: text_to_speech voice_cloning; ",
        );
    }

    #[test]
    fn classes_of_emotions_count_only_where_a_picture_goes_in() {
        let labels = "EMOTIONS = ['Angry', 'Disgust', 'Fear', 'Happy', 'Sad', 'Surprise', 'Neutral']";
        check(
            &format!(
                "//- a.py\nimport cv2\nimport numpy as np\nfrom tensorflow.keras.models import load_model\nnet = load_model('m.h5')\n{labels}\ndef mood(path):\n    face = cv2.imread(path)\n    scores = net.predict(face)\n    return EMOTIONS[int(np.argmax(scores))]\n"
            ),
            "8: emotion_inference; ",
        );
        check(
            &format!(
                "//- a.py\nimport numpy as np\nfrom tensorflow.keras.models import load_model\nnet = load_model('m.h5')\n{labels}\ndef mood(tokens):\n    scores = net.predict(tokens)\n    return EMOTIONS[int(np.argmax(scores))]\n"
            ),
            "",
        );
    }

    #[test]
    fn a_camera_is_live_when_a_device_is_opened_and_not_a_file() {
        let from = |what: &str| {
            told(&format!(
                "//- a.py\nimport cv2\nimport face_recognition\ndef run(path, known):\n    camera = cv2.VideoCapture({what})\n    while True:\n        ok, frame = camera.read()\n        small = cv2.resize(frame, (0, 0), fx=0.5, fy=0.5)\n        places = face_recognition.face_locations(small)\n        faces = face_recognition.face_encodings(small, places)\n        for face in faces:\n            far = face_recognition.face_distance(known, face)\n            cv2.putText(frame, str(far), (0, 0), 0, 1, (0, 0, 0))\n"
            ))
        };
        assert_eq!(
            from("0"),
            "9: biometric_template; live_camera\n11: biometric_identification; live_camera"
        );
        assert_eq!(from("path"), "9: biometric_template; \n11: biometric_identification; ");
        assert_eq!(
            from("'rtsp://10.0.0.2/a'"),
            "9: biometric_template; remote_camera\n11: biometric_identification; remote_camera"
        );
    }

    #[test]
    fn an_emotion_is_traced_to_the_record_of_a_worker() {
        let with = |line: &str| {
            told(&format!(
                "//- a.py\nfrom fer import FER\nreader = FER()\ndef read(frame, employee, shop, rows, log):\n    mood = reader.top_emotion(frame)\n    {line}\n"
            ))
        };
        for line in [
            "employee.mood = mood",
            "rows.append({'employee_id': employee.id, 'mood': mood})",
            "rows.append([employee.name, mood])",
            "save(employee.id, mood)",
            "db.execute('UPDATE staff SET mood = ?', (mood,))",
            "rows[employee] = mood",
        ] {
            assert_eq!(with(line), "4: emotion_inference; worker_record", "{line}");
        }
        for line in [
            "shop.mood = mood",
            "rows.append({'shop_id': shop.id, 'mood': mood})",
            "print(employee.name, mood)",
            "log.info('employee %s', mood)",
            "show(mood, 'employee of the month')",
        ] {
            assert_eq!(with(line), "4: emotion_inference; ", "{line}");
        }
    }

    #[test]
    fn an_emotion_is_traced_through_a_table_that_is_read_beside_the_workers() {
        let tree = |person: &str| {
            format!(
                "//- a.py\nimport cv2\nfrom deepface import DeepFace\nfrom flask import Flask, render_template\napp = Flask(__name__)\nmoods = []\n@app.route('/live')\ndef live():\n    global moods\n    camera = cv2.VideoCapture(0)\n    ok, frame = camera.read()\n    result = DeepFace.analyze(frame, actions=['emotion'])[0]\n    moods.append([result['emotion']['angry'], result['emotion']['happy']])\n    angry = round(sum([m[0] for m in moods]), 2)\n    cur.execute(f\"INSERT INTO `moods` VALUES(NULL, '3', {{angry}})\")\n    moods = []\n    return ''\n@app.route('/profile/<key>')\ndef profile(key):\n    cur.execute(\"SELECT * FROM `{person}` WHERE `id`='\" + key + \"'\")\n    who = cur.fetchone()\n    cur.execute(\"SELECT * FROM `moods` WHERE `eid`=3\")\n    return render_template('profile.html', data=who, mood=cur.fetchall())\n"
            )
        };
        assert_eq!(
            told(&tree("employees")),
            "11: emotion_inference; worker_record live_camera"
        );
        assert_eq!(told(&tree("films")), "11: emotion_inference; live_camera");
    }

    #[test]
    fn weights_that_run_code_are_told_with_the_setting_that_keeps_them_safe() {
        check(
            "//- a.py\nimport torch\nnet = torch.load('m.pt')\nnet(x)\n",
            "3: ; runs_code_on_load",
        );
        check(
            "//- a.py\nimport torch\nnet = torch.load('m.pt', weights_only=True)\nnet(x)\n",
            "",
        );
    }
}
