//! Indirect paths of output to people: a thread, a store, the background script of an extension, a voice.

use engine_model::{CallKind, Capability, Effect, Sends, TraceKind, fixture};

use crate::{CodeJoin, ManifestNames, join, read};

fn scan(tree: &str) -> CodeJoin {
    let tree = fixture(tree).unwrap();
    let files: Vec<_> = tree.files().map(|file| (file.info(), read(&file))).collect();
    join(&files, &ManifestNames::default(), &tree)
}

/// The effects of the first call whose path ends so, and whether it is a talk.
fn reached(tree: &str, end: &str) -> (Vec<Effect>, bool) {
    let join = scan(tree);
    let call = join
        .calls
        .iter()
        .find(|call| call.kind == CallKind::Call && call.symbol.ends_with(end))
        .unwrap();
    (call.effects.clone(), call.traced(TraceKind::Conversation).is_some())
}

#[test]
fn the_answer_of_a_run_is_read_out_of_its_thread() {
    let tree = |read: &str| {
        format!(
            "//- app.py\nfrom openai import OpenAI\nfrom twilio.twiml.messaging_response import MessagingResponse\nfrom flask import Flask, request\napp = Flask(__name__)\nclient = OpenAI()\ndef put(thread, text):\n    client.beta.threads.messages.create(thread, role='user', content=text)\ndef run(thread):\n    done = client.beta.threads.runs.create_and_poll(thread_id=thread, assistant_id='a')\n    if done.status == 'completed':\n        messages = {read}\n        return messages.data[0].content[0].text.value\n@app.route('/sms', methods=['POST'])\ndef sms():\n    put('t', request.form['Body'])\n    reply = MessagingResponse()\n    message = reply.message()\n    message.body(run('t'))\n    return str(reply)\n"
        )
    };
    let own = tree("client.beta.threads.messages.list(thread_id=thread)");
    assert_eq!(reached(&own, "create_and_poll"), (vec![Effect::Mail], true));
    let sends = scan(&own)
        .calls
        .iter()
        .find(|call| call.symbol.ends_with("create_and_poll"))
        .unwrap()
        .sends
        .clone();
    assert!(sends.contains(&Sends::UserInput), "{sends:?}");
    // Another list is none of the thread.
    let other = tree("client.files.list(purpose=thread)");
    assert!(!reached(&other, "create_and_poll").1);
}

#[test]
fn a_store_of_the_pages_that_keeps_a_talk_shows_it() {
    let tree = |library: &str, said: &str| {
        format!(
            "//- src/ai.ts\nimport OpenAI from 'openai';\nconst client = new OpenAI();\nexport const generateResponse = async (text: string) => (await client.responses.create({{ model: 'gpt-5.5', input: text }})).output_text;\n//- src/chatStore.ts\nimport {{ create }} from '{library}';\nimport {{ generateResponse }} from './ai';\nexport const useTalk = create((set) => ({{\n  messages: [],\n  send: async ({said}: string) => {{\n    const reply = await generateResponse({said});\n    set((state) => ({{ messages: [...state.messages, reply] }}));\n  }},\n}}));\n"
        )
    };
    assert_eq!(
        reached(&tree("zustand", "message"), "create"),
        (vec![Effect::Page], true)
    );
    // What is not said to anybody is shown and no talk, and another library keeps what nobody sees.
    assert_eq!(
        reached(&tree("zustand", "topic"), "create"),
        (vec![Effect::Page], false)
    );
    assert_eq!(reached(&tree("./cache", "message"), "create"), (Vec::new(), false));
}

#[test]
fn the_background_of_an_extension_answers_its_page() {
    let tree = |text: &str| {
        format!(
            "//- background.js\nasync function ask(prompt) {{\n  const res = await fetch('https://api.openai.com/v1/chat/completions', {{ method: 'POST', body: JSON.stringify({{ model: 'gpt-5.5', messages: [{{ role: 'user', content: prompt }}] }}) }});\n  return (await res.json()).choices[0].message.content;\n}}\nchrome.runtime.onMessage.addListener((request, sender, sendResponse) => {{\n  ask({text}).then((answer) => sendResponse({{ answer }}));\n  return true;\n}});\n"
        )
    };
    assert_eq!(reached(&tree("request.question"), "fetch"), (vec![Effect::Page], true));
    assert_eq!(reached(&tree("request.pageText"), "fetch"), (vec![Effect::Page], false));
}

#[test]
fn a_part_of_a_streamlit_page_shows_what_it_is_given() {
    let tree = |part: &str| {
        format!(
            "//- app.py\nimport streamlit as st\nfrom openai import OpenAI\nclient = OpenAI()\nquestion = st.chat_input('Ask')\nplace = {part}\nplace.markdown(client.responses.create(model='gpt-5.5', input=question).output_text)\n"
        )
    };
    assert_eq!(reached(&tree("st.empty()"), "create"), (vec![Effect::Page], true));
    assert_eq!(reached(&tree("Formatter()"), "create").0, []);
}

#[test]
fn speech_output_reaches_listener() {
    let sent = |how: &str| {
        format!(
            "//- bot.py\nfrom aiogram import Router, F\nfrom aiogram.types import Message, FSInputFile\nfrom openai import OpenAI\nclient = OpenAI()\nrouter = Router()\n@router.message(F.text)\nasync def hear(message: Message):\n    answer = client.responses.create(model='gpt-5.5', input=message.text).output_text\n    client.audio.speech.create(model='tts-1', voice='onyx', input=answer).stream_to_file('a.mp3')\n    {how}\n"
        )
    };
    let (effects, talk) = reached(
        &sent("await message.answer_audio(audio=FSInputFile('a.mp3'))"),
        "responses.create",
    );
    assert!(talk && effects.contains(&Effect::Mail), "{effects:?}");
    assert!(!reached(&sent("print('done')"), "responses.create").1);
    let played = |import: &str| {
        format!(
            "//- voice.py\nimport edge_tts\nimport playsound\nasync def say(text):\n    await edge_tts.Communicate(text).save('a.mp3')\n    playsound.playsound('a.mp3')\nasync def speak(text):\n    await say(text)\n//- main.py\n{import}\nfrom openai import OpenAI\nfrom voice import speak\nclient = OpenAI()\nasync def main(query):\n    answer = client.responses.create(model='gpt-5.5', input=query)\n    await speak(answer.output_text)\n"
        )
    };
    assert_eq!(
        reached(&played("import speech_recognition as sr"), "responses.create"),
        (vec![Effect::Page], true)
    );
    // Nobody speaks to a program without a microphone.
    assert_eq!(reached(&played("import json"), "responses.create"), (Vec::new(), false));
}

#[test]
fn face_classifier_is_biometric_identification() {
    let tree = |name: &str, crop: &str| {
        format!(
            "//- app.py\nimport cv2\nimport joblib\nfinder = cv2.CascadeClassifier('haarcascade_frontalface_default.xml')\ndef faces(image):\n    return finder.detectMultiScale(image, 1.2, 5)\ndef {name}(rows):\n    model = joblib.load('model.pkl')\n    return model.predict(rows)\ndef watch(frame):\n    for (x, y, w, h) in faces(frame):\n        {name}({crop})\n"
        )
    };
    let gives = |tree: &str| {
        let join = scan(tree);
        let call = join
            .calls
            .iter()
            .find(|call| call.symbol.ends_with(".predict"))
            .unwrap();
        call.capabilities.clone()
    };
    let crop = "cv2.resize(frame[y:y+h, x:x+w], (50, 50))";
    assert_eq!(
        gives(&tree("identify_face", crop)),
        [Capability::BiometricIdentification]
    );
    // A mask is no person, and what was read from a file is no face.
    assert_eq!(gives(&tree("detect_mask", crop)), []);
    assert_eq!(gives(&tree("identify_face", "cv2.imread('leaf.png')")), []);
}

#[test]
fn a_store_of_vectors_is_told_beside_a_model_only() {
    let tree = |more: &str| {
        format!(
            "//- app.py\nfrom langchain_chroma import Chroma\nfrom langchain_openai import ChatOpenAI, OpenAIEmbeddings\nstore = Chroma(embedding_function=OpenAIEmbeddings())\nstore.add_documents(docs)\nstore.similarity_search('x')\n{more}\n"
        )
    };
    let calls = |tree: &str| {
        let join = scan(tree);
        let calls = join.calls.iter().filter(|call| call.kind == CallKind::Call);
        calls.map(|call| call.symbol.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        calls(&tree("ChatOpenAI().invoke('x')")),
        [
            "langchain_chroma.Chroma().add_documents",
            "langchain_openai.ChatOpenAI().invoke"
        ]
    );
    assert_eq!(calls(&tree("")), Vec::<String>::new());
}

#[test]
fn a_picture_that_is_kept_as_a_file_is_the_input_of_its_record() {
    let tree = |key: &str, kept: &str| {
        format!(
            "//- app.py\nimport cv2\nimport face_recognition\nrows = []\ndef note(name, frame):\n    path = 'seen/' + name + '.jpg'\n    {kept}\n    rows.append({{'name': name, '{key}': path}})\ndef look(frame):\n    faces = face_recognition.face_encodings(frame)\n    if face_recognition.compare_faces(known, faces[0])[0]:\n        note('x', frame.copy())\nlook(cv2.VideoCapture(0).read()[1])\n"
        )
    };
    let input = |tree: &str| {
        let join = scan(tree);
        let call = join.calls.iter().find(|call| call.symbol.ends_with("compare_faces"));
        call.unwrap().traced(TraceKind::LogInput).is_some()
    };
    assert!(input(&tree("image_path", "cv2.imwrite(path, frame)")));
    assert!(!input(&tree("image_path", "cv2.imshow(path, frame)")));
    assert!(!input(&tree("number", "cv2.imwrite(path, frame)")));
}
