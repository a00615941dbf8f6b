//! The dialogue, driven without a terminal: what is shown for what is typed.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::rc::Rc;

use engine::{Clock, Engine, Options, Signing};
use engine_model::{Question, QuestionOption};
use engine_report::TextOptions;
use tempfile::TempDir;

use super::asked::{Asked, Input, effect_of};
use super::session::{Setting, Trouble, run};
use super::talk::Talk;
use crate::command::shell_word;

/// What a terminal shows: what is printed, and what is typed.
#[derive(Clone, Default)]
struct Screen(Rc<RefCell<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Screen {
    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

/// Types a line for each prompt: the answer of the first rule whose question is on the screen and was not used up.
struct Typist {
    screen: Screen,
    rules: VecDeque<(&'static str, &'static str)>,
    /// What is typed where no rule fits; the input ends where there is none.
    else_: Option<&'static str>,
    line: Vec<u8>,
    /// Where the last prompt ended.
    read: usize,
}

impl Read for Typist {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Typist {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.line.is_empty() {
            let screen = self.screen.text();
            let shown = &screen[self.read..];
            let rule = self.rules.iter().position(|(on_screen, _)| shown.contains(on_screen));
            let typed = match rule {
                Some(rule) => self.rules.remove(rule).map(|(_, typed)| typed),
                None => self.else_,
            };
            if let Some(typed) = typed {
                self.line = format!("{typed}\n").into_bytes();
                self.screen.write_all(&self.line)?;
            }
            self.read = self.screen.text().len();
        }
        Ok(&self.line)
    }

    fn consume(&mut self, count: usize) {
        self.line.drain(..count);
    }
}

/// A copy of an example project and an engine on a fixed day.
struct Place {
    folder: TempDir,
    engine: Engine,
}

impl Place {
    fn of(example: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let projects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/projects");
        copy(&projects.join(example), &folder.path().join(example));
        let options = Options {
            working_dir: folder.path().to_owned(),
            project: None,
            read_only: false,
            clock: Clock {
                now: || "2026-11-20T09:00:00Z".parse().unwrap(),
                new_id: || uuid::Uuid::new_v4().to_string(),
            },
            signing: Signing {
                data_dir: Some(folder.path().join("user")),
                key: None,
            },
        };
        let engine = Engine::start(options).unwrap();
        Self { folder, engine }
    }

    /// Leads a dialogue, and gives everything that was on the screen.
    fn talk(&self, path: &str, rules: &[(&'static str, &'static str)], else_: Option<&'static str>) -> String {
        let screen = Screen::default();
        let mut out = screen.clone();
        let mut typist = Typist {
            screen: screen.clone(),
            rules: rules.iter().copied().collect(),
            else_,
            line: Vec::new(),
            read: 0,
        };
        let setting = Setting {
            path: path.to_owned(),
            by: None,
            offered: Some("A. Person".to_owned()),
            on: None,
        };
        let talk = Talk::new(&mut typist, &mut out, TextOptions::default());
        match run(&self.engine, setting, talk) {
            Ok(()) => screen.text(),
            Err(Trouble::Engine(failure)) => format!("{}failed: {}", screen.text(), failure.details),
            Err(Trouble::Terminal(error)) => panic!("{error}"),
        }
    }

    fn profile(&self, path: &str) -> String {
        let file = self.folder.path().join(path).join(".compliance/profile.toml");
        crate::command::read_file(&file).unwrap_or_default()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the example projects lie there")]
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_whole_dialogue_reads_like_this() {
    let place = Place::of("helpdesk");
    let rules = [
        ("Your name", ""),
        ("Which roles does your organisation have", "x"),
        ("is not a valid answer", "1,2"),
        ("select applicants", "h"),
        ("Other keys", "1"),
        ("about the development", "s"),
        ("a public body", "3"),
        ("Reason (Enter", "we are a private company"),
        ("about the use", "1,4"),
        ("first placed on the market", "b"),
        ("Your answer was `input-data, decisions`", "1,2,4"),
        ("first placed on the market", "soon"),
        ("is not a valid answer", "2027-03-01"),
        ("rebranded", "?"),
        ("organisation established", "1"),
        ("about the development", "0"),
        ("Was main screened", "y"),
        (
            "Reason why none of these practices",
            "legal compared the purpose with Art. 5",
        ),
        ("Was helpdesk-screening screened", "n"),
        ("Evidence for Art. 87", "h"),
        ("Possible evidence", "whistle-blower channel, intranet page 3"),
    ];
    let screen = place.talk("helpdesk", &rules, Some("s"));
    insta::assert_snapshot!("dialogue", screen);
    insta::assert_snapshot!("profile", place.profile("helpdesk"));
}

#[test]
fn the_end_of_the_input_stops_and_keeps_what_was_answered() {
    let place = Place::of("helpdesk");
    let rules = [("Your name", "B. Person"), ("Which roles does", "both")];
    let screen = place.talk("helpdesk", &rules, None);
    assert!(
        screen.contains("Stopped\nSaved: 1 answer in `.compliance/profile.toml`."),
        "{screen}"
    );
    assert!(
        screen.contains("To continue with the questions: engine-server answer helpdesk\n"),
        "{screen}"
    );
    let profile = place.profile("helpdesk");
    assert!(
        profile.contains("B. Person") && profile.contains("provider"),
        "{profile}"
    );
    // The next dialogue goes on where this one stopped.
    let screen = place.talk("helpdesk", &[], Some("q"));
    assert!(screen.contains("Stopped\nNo answers were saved."), "{screen}");
    assert_eq!(place.profile("helpdesk"), profile);
}

#[test]
fn back_asks_the_former_question_again_and_replaces_its_answer() {
    let place = Place::of("helpdesk");
    let rules = [
        ("Your name", ""),
        ("Question 1 of", "b"),
        ("This is the first question", "1"),
        ("Reason (Enter", ""),
        ("Question 2 of", "b"),
        ("Your answer was `provider`", "2"),
        ("Reason (Enter", "we bought it"),
        ("Question 2 of", "b"),
        ("Your answer was `deployer`", ""),
        ("Question 2 of", "q"),
    ];
    let screen = place.talk("helpdesk", &rules, Some("q"));
    assert!(screen.contains("Stopped\nSaved: 1 answer in"), "{screen}");
    let profile = place.profile("helpdesk");
    assert!(
        profile.contains("\"deployer\"") && profile.contains("we bought it"),
        "{profile}"
    );
    assert!(!profile.contains("\"provider\""), "{profile}");
}

#[test]
fn skipped_questions_come_back_once_and_stay_open() {
    let place = Place::of("helpdesk");
    let screen = place.talk("helpdesk", &[("Your name", "")], Some("s"));
    let asked = screen.matches("Which roles does your organisation have").count();
    assert_eq!(asked, 2, "{screen}");
    assert!(screen.contains("You skipped this question before."), "{screen}");
    assert!(screen.contains("Done\nNo answers were saved."), "{screen}");
    assert!(screen.contains("open questions: `"), "{screen}");
    assert_eq!(place.profile("helpdesk"), "");
}

#[test]
fn a_prohibited_practice_is_named_at_once_and_its_exclusion_is_a_screening() {
    let place = Place::of("helpdesk");
    let request = engine::AnswerRequest {
        path: Some("helpdesk".to_owned()),
        answers: [("main.art-5-emotion".to_owned(), "unknown".into())].into(),
        ..engine::AnswerRequest::default()
    };
    place.engine.answer(&request).unwrap();
    let rules = [
        ("Your name", ""),
        ("emotions at work or in education from", "1"),
        ("Reason (Enter", ""),
        ("Warning: prohibited practice", "b"),
        ("Your answer was `yes`", "n"),
        ("counts as a screening", "it reads text only"),
    ];
    let screen = place.talk("helpdesk", &rules, Some("q"));
    for line in [
        "Answered \"I do not know\" by an unnamed person",
        "What it changes: `yes`: this practice is prohibited",
        "Warning: prohibited practice\nArt. 5(1)(f): this practice has been prohibited since 2025-02-02.",
        "Saved: `main.art-5-emotion` = no.\nThis answer counts as a screening for this practice.\n",
    ] {
        assert!(screen.contains(line), "{line}: {screen}");
    }
    let profile = place.profile("helpdesk");
    assert!(profile.contains("it reads text only"), "{profile}");
}

#[test]
fn an_answer_that_the_code_contradicts_is_named_at_once() {
    let place = Place::of("helpdesk");
    let rules = [
        ("Your name", ""),
        ("Which role", "8"),
        ("select applicants", "0"),
        ("Reason (Enter", "a person reads every CV"),
        ("the code contradicts this answer", "b"),
        ("Your answer was `none`", "q"),
    ];
    let screen = place.talk("helpdesk", &rules, Some("q"));
    for line in [
        "The risk class of helpdesk-screening is now: ",
        "Note: the code contradicts this answer\n`helpdesk-screening.annex-iii-employment` was answered",
        "type b to correct it; otherwise change the code.",
    ] {
        assert!(screen.contains(line), "{line}: {screen}");
    }
}

#[test]
fn what_is_not_known_about_a_practice_is_not_part_of_a_screening() {
    let place = Place::of("helpdesk");
    let request = engine::AnswerRequest {
        path: Some("helpdesk".to_owned()),
        answers: [("main.art-5-emotion".to_owned(), "unknown".into())].into(),
        ..engine::AnswerRequest::default()
    };
    place.engine.answer(&request).unwrap();
    let rules = [
        ("Your name", ""),
        ("emotions at work or in education from", "?"),
        ("Was main screened", "y"),
        ("Reason why none of these practices", "compared with Art. 5"),
    ];
    let screen = place.talk("helpdesk", &rules, Some("s"));
    let left_out = "Not covered by this screening: emotion inference at work or in education (Art. 5(1)(f)).";
    assert!(screen.contains(left_out), "{screen}");
    assert!(
        screen.contains("Saved: `no` with this reason for 9 practices of Art. 5."),
        "{screen}"
    );
    let profile = place.profile("helpdesk");
    let emotion = profile
        .split("[systems.main.")
        .find(|part| part.starts_with("art-5-emotion"));
    assert!(emotion.unwrap().contains("value = \"unknown\""), "{profile}");
}

#[test]
fn nothing_is_asked_where_no_system_is() {
    let place = Place::of("no-ai");
    let screen = place.talk("no-ai", &[], Some("q"));
    assert!(
        screen.contains("No AI system was found in this project, so there is nothing to answer."),
        "{screen}"
    );
}

#[test]
fn a_broken_profile_is_named_before_anything_is_asked() {
    let place = Place::of("helpdesk");
    let folder = place.folder.path().join("helpdesk/.compliance");
    std::fs::create_dir_all(&folder).unwrap();
    let broken = "[systems.main]\nrole = \"chef\"\n";
    crate::command::write_file(&folder.join("profile.toml"), broken).unwrap();
    let screen = place.talk("helpdesk", &[], Some("q"));
    assert!(
        screen.contains("failed: .compliance/profile.toml: line 2, column 8:"),
        "{screen}"
    );
    assert!(!screen.contains("Your name"), "{screen}");
    assert_eq!(place.profile("helpdesk"), broken);
}

fn option(value: &str, adds: u64, removes: u64) -> QuestionOption {
    QuestionOption {
        value: value.to_owned(),
        label: value.to_owned(),
        adds,
        removes,
        ..QuestionOption::default()
    }
}

#[test]
fn what_is_typed_is_read_by_the_kind_of_the_question() {
    let words = |words: &[&str]| Input::Words(words.iter().map(|word| (*word).to_owned()).collect());
    let question = |id: &str, kind: &str, options: &[&str]| Question {
        id: id.to_owned(),
        kind: kind.to_owned(),
        options: options.iter().map(|value| option(value, 0, 0)).collect(),
        ..Question::default()
    };
    let any = question("annex-iii-justice", "any_of", &["8(a)", "8(b)", "none"]);
    let yes_no = question("profiling", "yes_no", &["yes", "no"]);
    let date = question("placed-on-market", "date", &[]);
    let text = question("purpose", "text", &[]);
    for (question, line, expected) in [
        (&any, "1,2", words(&["8(a)", "8(b)"])),
        (&any, "1 2", words(&["8(a)", "8(b)"])),
        (&any, "2)", words(&["8(b)"])),
        (&any, "8a", words(&["8(a)"])),
        (&any, "0", words(&["none"])),
        (&any, "none", words(&["none"])),
        (&yes_no, "1", words(&["yes"])),
        (&yes_no, "N", words(&["no"])),
        (&yes_no, "?", words(&["unknown"])),
        (&yes_no, "S", Input::Skip),
        (&yes_no, "back", Input::Back),
        (&yes_no, "q", Input::Stop),
        (&yes_no, "h", Input::Help),
        (&date, "2026-03-01", words(&["2026-03-01"])),
        (&date, "not yet", words(&["not-yet"])),
        (&text, "helps staff", words(&["helps staff"])),
        (&text, "stop", words(&["stop"])),
    ] {
        assert_eq!(
            Asked::new(question).read(line, false),
            expected,
            "{} {line}",
            question.id
        );
    }
    for (question, line, said) in [
        (&any, "1,0", "more than one answer"),
        (&any, "3", "Answer 3 does not exist"),
        (&yes_no, "1,2", "more than one answer"),
        (&yes_no, "0", "Answer 0 does not exist"),
        (
            &yes_no,
            "maybe",
            "`maybe` is not a valid answer. Type 1 for yes or 2 for no.",
        ),
        (&yes_no, "", "The answer is empty."),
        (&date, "tomorrow", "Type a date such as 2026-03-01"),
        (&date, "12", "Type a date such as 2026-03-01"),
    ] {
        match Asked::new(question).read(line, false) {
            Input::Unclear(why) => assert!(why.contains(said), "{line}: {why}"),
            other => panic!("{line}: {other:?}"),
        }
    }
    assert_eq!(Asked::new(&yes_no).read("", true), Input::Keep);
}

#[test]
fn an_effect_is_said_in_a_few_words() {
    let mut one = option("yes", 84, 0);
    one.gaps = 5;
    one.from = "2027-12-02".parse().ok();
    assert_eq!(effect_of(&one), "84 more obligations from 2 Dec 2027, 5 gaps found");
    one.removes = 6;
    assert_eq!(
        effect_of(&one),
        "84 more obligations from 2 Dec 2027, 5 gaps found; 6 fewer"
    );
    assert_eq!(effect_of(&option("no", 0, 1)), "1 fewer obligation");
    assert_eq!(effect_of(&option("no", 0, 0)), "no change");
}

#[test]
fn a_path_is_quoted_for_the_shell() {
    assert_eq!(shell_word("."), ".");
    assert_eq!(shell_word("my project"), "'my project'");
    assert_eq!(shell_word("it's"), r"'it'\''s'");
}
