//! Tasks about people in a prompt: to grade pupils, to screen applicants, to triage patients.
//!
//! A prompt counts where data flow carries it into a call, and only where it names both those who are judged and the judging, close to
//! each other. Remarks, documents and texts that no call is given say nothing. It raises a question; whether anything is decided is told
//! from where the answer goes.

use std::collections::BTreeSet;

use engine_model::{PersonArea, StepRole, StructureStep, Zone};
use engine_syntax::ir::{Expr, ExprId};

use super::Hit;
use super::areas::flat;
use super::call_inputs::{Item, What};
use crate::index::BindSource;
use crate::prompt_files::PromptFile;
use crate::values::{ClassRef, ExprRef};
use crate::world::World;

/// A text shorter than this orders nothing.
const TEXT_BYTES_MIN: usize = 24;

/// A text is read no further than this.
pub(super) const TEXT_BYTES_MAX: usize = 40_000;

/// Words between those who are judged and the judging.
const WORDS_BETWEEN: usize = 12;
/// The same where the model holds an interview itself.
const WORDS_BETWEEN_OF_INTERVIEWS: usize = 60;

/// Letters of a prompt that are shown.
const SHOWN_MAX: usize = 76;

/// Texts of the fields of one type that are read.
const FIELD_TEXTS_MAX: usize = 200;

/// Templates nest no deeper in prompts that people write.
const NESTING_MAX: u32 = 4;

/// The words of one area; a star stands for any ending.
struct Purpose {
    area: PersonArea,
    /// Those who are judged, or their papers.
    subjects: &'static [&'static str],
    /// Judging.
    judges: &'static [&'static str],
    /// One of these stands somewhere in the same text.
    contexts: &'static [&'static str],
    /// Those who are judged, and judging, in languages that part no words.
    unparted: (&'static [&'static str], &'static [&'static str]),
    /// None of these stands anywhere in it: the same is then done to something else.
    never: &'static [&'static str],
}

const PURPOSES: [Purpose; 15] = [
    Purpose {
        area: PersonArea::Employment,
        subjects: &[
            "candidate",
            "candidates",
            "applicant",
            "applicants",
            "interviewee",
            "interviewees",
            "employee",
            "employees",
            "resume",
            "resumes",
            "résumé",
            "cv",
            "cvs",
            "jobseeker",
            "bewerber*",
            "lebenslauf",
            "candidat",
            "candidats",
            "candidato",
            "candidatos",
            "currículo",
            "curriculo",
            "currículos",
            "currículum",
            "curriculum",
            "postulante",
            "postulantes",
            "кандидат*",
            "резюме",
            "kandidat*",
            "kandydat*",
            "sollicitant*",
            "pelamar",
            "aday*",
            "özgeçmiş*",
            "viên",
        ],
        judges: &[
            "score",
            "scores",
            "scored",
            "scoring",
            "rate",
            "rating",
            "ratings",
            "rank",
            "ranking",
            "grade",
            "evaluat*",
            "assess*",
            "screen",
            "screening",
            "shortlist*",
            "hire",
            "reject*",
            "suitab*",
            "compatib*",
            "analyzer",
            "analyser",
            "bewert*",
            "évalu*",
            "évaluer",
            "puntúa",
            "evalúa",
            "evalua*",
            "calific*",
            "avali*",
            "pontu*",
            "оцени*",
            "оценивай",
            "соответствие",
            "penilaian",
            "menilai",
            "nilai",
            "skor",
            "evaluasi",
            "oceń",
            "oceni*",
            "ocena",
            "beoordeel*",
            "değerlendir*",
            "puanla*",
            "valuta*",
            "chấm",
        ],
        contexts: &[
            "job",
            "jobs",
            "vacancy",
            "hiring",
            "hire",
            "recruit*",
            "interview*",
            "employ*",
            "hr",
            "resume*",
            "cv",
            "cvs",
            "stelle*",
            "poste",
            "puesto",
            "vacante*",
            "vaga",
            "vagas",
            "recrutamento",
            "ваканси*",
            "рекрутер*",
            "rekrut*",
            "lowongan",
            "posisi",
            "wawancara",
            "stanowisk*",
            "vacature*",
            "sollicitatie*",
            "pozisyon*",
            "mülakat*",
            "candidato",
            "ứng",
        ],
        unparted: (
            &[
                "候选人",
                "候選人",
                "应聘",
                "應徵",
                "應聘",
                "求职者",
                "求職者",
                "简历",
                "履歷",
                "員工",
                "员工",
                "候補者",
                "応募者",
                "履歴書",
                "지원자",
                "이력서",
            ],
            &[
                "评分", "評分", "打分", "评估", "評估", "筛选", "篩選", "评价", "評價", "評価", "採点", "평가",
            ],
        ),
        never: &[],
    },
    // Whoever evaluates for recruitment evaluates those who apply, wherever they are named.
    Purpose {
        area: PersonArea::Employment,
        subjects: &[
            "recruitment",
            "recruiting",
            "recruiter",
            "rekrutmen",
            "recrutement",
            "reclutamiento",
            "recrutamento",
        ],
        judges: &[
            "evaluat*",
            "assess*",
            "screen",
            "screening",
            "score",
            "scoring",
            "penilai*",
            "menilai",
        ],
        contexts: &[
            "candidate",
            "candidates",
            "applicant",
            "applicants",
            "kandidat",
            "candidat",
            "candidats",
            "candidato",
            "candidatos",
        ],
        unparted: (&[], &[]),
        never: &[],
    },
    // An interview that the model holds itself, or a paper that it reads for one; whoever trains for one is not judged.
    Purpose {
        area: PersonArea::Employment,
        subjects: &["candidate", "candidates", "applicant", "applicants", "interviewee"],
        judges: &["interview", "interviews", "interviewing", "interviewer"],
        contexts: &[
            "resume*",
            "cv",
            "cvs",
            "recruit*",
            "hiring",
            "vacancy",
            "hr",
            "screening",
        ],
        unparted: (&[], &[]),
        never: &[
            "mock",
            "practice",
            "practise",
            "prepare",
            "preparation",
            "coach",
            "rehears*",
            "tips",
        ],
    },
    Purpose {
        area: PersonArea::Education,
        subjects: &[
            "student",
            "students",
            "pupil",
            "pupils",
            "learner",
            "learners",
            "trainee",
            "trainees",
            "examinee",
            "examinees",
            "essay",
            "essays",
            "schüler*",
            "studierende*",
            "étudiant*",
            "élève*",
            "estudiante*",
            "alumno*",
            "siswa",
            "mahasiswa",
            "uczni*",
            "uczeń",
            "leerling*",
            "studente",
            "studenti",
            "öğrenci*",
            "aluno*",
            "студент*",
            "ученик*",
            "sinh",
            "bài",
        ],
        judges: &[
            "grade",
            "grading",
            "graded",
            "grader",
            "score",
            "scores",
            "scored",
            "scoring",
            "rubric",
            "assess*",
            "classif*",
            "benote*",
            "bewert*",
            "note*",
            "noter",
            "calific*",
            "valuta",
            "penilaian",
            "menilai",
            "skor",
            "oceń",
            "oceni*",
            "beoordeel*",
            "puanla*",
            "avalie",
            "оцени*",
            "chấm",
        ],
        contexts: &[],
        unparted: (
            &[
                "学生",
                "學生",
                "考生",
                "学员",
                "學員",
                "作文",
                "答卷",
                "生徒",
                "学習者",
                "학생",
            ],
            &["评分", "打分", "批改", "阅卷", "閱卷", "評分", "採点", "채점"],
        ),
        never: &[],
    },
    // What a pupil hands in.
    Purpose {
        area: PersonArea::Education,
        subjects: &["submission", "submissions", "coursework"],
        judges: &["evaluat*", "assess*", "grade", "grading", "score", "scoring", "mark"],
        contexts: &[
            "student",
            "students",
            "pupil",
            "pupils",
            "exercise",
            "assignment",
            "homework",
            "course",
        ],
        unparted: (&[], &[]),
        never: &[],
    },
    // Papers that are held against a grid of a teacher's.
    Purpose {
        area: PersonArea::Education,
        subjects: &[
            "paper",
            "papers",
            "essay",
            "essays",
            "thesis",
            "theses",
            "homework",
            "coursework",
        ],
        judges: &[
            "rating", "ratings", "rate", "mark", "marks", "grade", "grades", "evaluat*",
        ],
        contexts: &["rubric", "rubrics", "markscheme"],
        unparted: (&[], &[]),
        never: &[],
    },
    // Whoever watches an examination, or foretells who gives up.
    Purpose {
        area: PersonArea::Education,
        subjects: &[
            "student",
            "students",
            "pupil",
            "pupils",
            "examinee",
            "examinees",
            "exam",
            "exams",
            "examination",
        ],
        judges: &[
            "cheating",
            "cheat*",
            "malpractice",
            "proctor*",
            "dropout",
            "dropouts",
            "plagiaris*",
        ],
        contexts: &["detect*", "monitor*", "proctor*", "predict*", "suspicious", "flag"],
        unparted: (&[], &[]),
        never: &[],
    },
    Purpose {
        area: PersonArea::Emergency,
        subjects: &[
            "patient",
            "patients",
            "symptom",
            "symptoms",
            "symptôme",
            "symptômes",
            "symptomes",
            "caller",
            "callers",
            "emergency",
            "urgentiste",
            "clinical",
            "clinique",
            "cliniques",
            "notaufnahme",
        ],
        judges: &[
            "triage",
            "triaging",
            "triaged",
            "trier",
            "urgency",
            "urgence",
            "acuity",
            "esi",
            "dringlichkeit",
            "triagier*",
        ],
        contexts: &[
            "triage",
            "triaging",
            "trier",
            "triagier*",
            "high",
            "haute",
            "low",
            "faible",
            "level",
            "levels",
            "critical",
            "hoch",
            "niedrig",
        ],
        unparted: (
            &["患者", "病人", "症状", "病情", "医疗", "急诊", "환자"],
            &["分诊", "分診", "预检", "トリアージ", "중증도 분류"],
        ),
        never: &[],
    },
    // How grave an illness is, said together with whether it is an emergency.
    Purpose {
        area: PersonArea::Emergency,
        subjects: &["patient", "patients", "symptom", "symptoms", "symptôme", "symptômes"],
        judges: &["severity", "urgent", "gravité", "schweregrad"],
        contexts: &["emergency", "urgences", "notfall"],
        unparted: (&[], &[]),
        never: &[],
    },
    Purpose {
        area: PersonArea::Credit,
        subjects: &[
            "applicant",
            "applicants",
            "borrower",
            "borrowers",
            "loan",
            "loans",
            "mortgage",
            "creditworthiness",
            "kreditnehmer*",
            "emprunteur*",
        ],
        judges: &[
            "approve*",
            "reject*",
            "declin*",
            "assess*",
            "evaluat*",
            "scor*",
            "eligib*",
            "creditworth*",
        ],
        contexts: &[
            "loan",
            "loans",
            "credit",
            "mortgage",
            "lending",
            "creditworth*",
            "kredit*",
            "crédit",
        ],
        unparted: (
            &["借款人", "贷款", "貸款", "申请人", "申請人", "融資", "대출"],
            &[
                "信用评分",
                "信用評分",
                "信用评估",
                "信用評估",
                "审批",
                "審批",
                "授信",
                "与信",
                "신용 평가",
            ],
        ),
        never: &[],
    },
    // What a life or health insurer pays or asks; cars and houses are another matter.
    Purpose {
        area: PersonArea::Insurance,
        subjects: &[
            "policyholder",
            "policyholders",
            "insured",
            "claimant",
            "claimants",
            "claim",
            "claims",
            "policy",
        ],
        judges: &[
            "approve*",
            "approving",
            "reject*",
            "underwrit*",
            "eligib*",
            "premium",
            "premiums",
        ],
        contexts: &["health", "medical", "surgery", "hospital*", "mediclaim", "illness"],
        unparted: (&[], &[]),
        never: &[],
    },
    // Whoever writes health or life insurance for somebody.
    Purpose {
        area: PersonArea::Insurance,
        subjects: &["underwriter", "underwriters", "underwriting", "underwrite"],
        judges: &[
            "risk",
            "risks",
            "applicant",
            "applicants",
            "premium",
            "premiums",
            "accept",
            "decline",
        ],
        contexts: &["health", "life", "medical", "illness", "hospital*"],
        unparted: (&[], &[]),
        never: &[
            "loan",
            "loans",
            "mortgage",
            "credit",
            "lending",
            "motor",
            "vehicle",
            "vehicles",
            "car",
            "property",
            "securities",
            "cargo",
        ],
    },
    // What ails a person, said from what the person tells or shows.
    Purpose {
        area: PersonArea::Health,
        subjects: &[
            "symptom",
            "symptoms",
            "patient",
            "patients",
            "symptôme",
            "symptômes",
            "síntoma*",
            "sintoma*",
            "symptome",
            "симптом*",
            "пациент*",
        ],
        judges: &[
            "diagnos*",
            "disease",
            "diseases",
            "illness",
            "illnesses",
            "maladie*",
            "enfermedad*",
            "doença*",
            "krankheit*",
            "диагноз*",
            "заболевани*",
        ],
        contexts: &[
            "possible",
            "potential",
            "probable",
            "likely",
            "predict*",
            "suggest*",
            "identify",
            "determine",
            "assess*",
            "analyz*",
            "analys*",
            "diagnose",
            "provide",
            "mögliche*",
            "probables",
            "posibles",
            "possíveis",
            "возможн*",
        ],
        unparted: (&["患者", "病人", "症状"], &["诊断", "診断", "疾病", "可能的病", "진단"]),
        never: NOT_PEOPLE,
    },
    // What somebody has is called a condition as well; the word alone may mean anything.
    Purpose {
        area: PersonArea::Health,
        subjects: &["symptom", "symptoms", "patient", "patients"],
        judges: &[
            "condition",
            "conditions",
            "potentialcondition*",
            "possiblecondition*",
            "likelycondition*",
        ],
        contexts: &[
            "medical",
            "diagnos*",
            "afflicted",
            "disease",
            "diseases",
            "illness",
            "illnesses",
            "doctor",
            "physician",
        ],
        unparted: (&[], &[]),
        never: NOT_PEOPLE,
    },
    // Whoever names medicines with their doses treats somebody.
    Purpose {
        area: PersonArea::Health,
        subjects: &["medication", "medications", "medicine", "medicines", "drug", "drugs"],
        judges: &["dosage", "dosages", "dose", "doses", "dosierung"],
        contexts: &[
            "physician",
            "cardiologist",
            "pediatrician",
            "paediatrician",
            "dermatologist",
            "neurologist",
            "symptom",
            "symptoms",
            "prescribe",
            "prescribes",
        ],
        unparted: (&[], &[]),
        never: &[
            "extract",
            "reminder",
            "reminders",
            "invoice",
            "inventory",
            "veterinar*",
            "vet",
            "plant",
            "plants",
            "animal",
            "animals",
            "dog",
            "dogs",
            "cat",
            "livestock",
        ],
    },
];

/// Words of texts about what is done to something else than people.
const NOT_PEOPLE: &[&str] = &[
    "plant",
    "plants",
    "crop",
    "crops",
    "leaf",
    "leaves",
    "pet",
    "pets",
    "dog",
    "dogs",
    "cat",
    "animal",
    "animals",
    "veterinar*",
    "vet",
    "livestock",
    "cattle",
    "server",
    "servers",
    "outage",
    "logs",
    "vehicle",
    "engine",
];

/// Words behind which a grade is that of a school and no mark: `grade 5`, `grade level`.
const SCHOOL_YEARS: [&str; 6] = ["level", "levels", "school", "student", "students", "pupils"];

/// Words in front of which a score is one of something else.
const OF_THINGS: [&str; 14] = [
    "similarity",
    "confidence",
    "relevance",
    "credit",
    "lighthouse",
    "bleu",
    "rouge",
    "search",
    "cosine",
    "limit",
    "exchange",
    "interest",
    "heart",
    "frame",
];

fn is(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| match known.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => word == *known,
    })
}

/// The words of a text with their places, without case.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() {
            if !open {
                out.push((at, String::new()));
            }
            if let Some((_, word)) = out.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        open = c.is_alphanumeric();
    }
    out
}

/// The areas in which a text orders a model to judge people, each with the place of the judging.
fn ordered(text: &str) -> Vec<(PersonArea, usize)> {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let words = words(&text[..end]);
    let mut out = Vec::new();
    for purpose in &PURPOSES {
        // What sorts patients by urgency names their illness on the way.
        let told = |known: PersonArea| out.iter().any(|(area, _)| *area == known);
        if told(purpose.area) || purpose.area == PersonArea::Health && told(PersonArea::Emergency) {
            continue;
        }
        if words.iter().any(|(_, word)| is(word, purpose.never)) {
            continue;
        }
        if let Some(place) = unparted(&text[..end], purpose.unparted) {
            out.push((purpose.area, place));
            continue;
        }
        if !purpose.contexts.is_empty() && !words.iter().any(|(_, word)| is(word, purpose.contexts)) {
            continue;
        }
        // Who holds an interview is told first, and whom it is held with further on.
        let reach = if purpose.judges.contains(&"interviewing") {
            WORDS_BETWEEN_OF_INTERVIEWS
        } else {
            WORDS_BETWEEN
        };
        let mut subject: Option<usize> = None;
        let mut judge: Option<usize> = None;
        for (index, (_, word)) in words.iter().enumerate() {
            let neighbour = |offset: isize| {
                index
                    .checked_add_signed(offset)
                    .and_then(|at| words.get(at))
                    .map_or("", |(_, word)| word.as_str())
            };
            if is(word, purpose.subjects) {
                subject = Some(index);
            }
            let judges = is(word, purpose.judges) && !is_of_something_else(word, neighbour(-1), neighbour(1))
                || purpose.area == PersonArea::Employment && is_fit(word, neighbour(-1), neighbour(1));
            if judges {
                judge = Some(index);
            }
            if let (Some(subject), Some(judge)) = (subject, judge)
                && subject.abs_diff(judge) <= reach
            {
                out.push((purpose.area, words[judge].0));
                break;
            }
        }
    }
    out
}

/// The place of a judging close to those who are judged, in a text that parts no words.
fn unparted(text: &str, (subjects, judges): (&[&str], &[&str])) -> Option<usize> {
    /// Bytes between the two.
    const BETWEEN_MAX: usize = 120;
    if text.is_ascii() {
        return None;
    }
    judges
        .iter()
        .flat_map(|judge| text.match_indices(judge).take(20))
        .map(|(at, _)| at)
        .filter(|at| {
            subjects.iter().any(|subject| {
                text.match_indices(subject)
                    .any(|(other, _)| at.abs_diff(other) <= BETWEEN_MAX)
            })
        })
        .min()
}

/// Whether somebody is judged by how well they fit: `overall fit`, `fit score`; that one thing fits another says nothing.
fn is_fit(word: &str, before: &str, after: &str) -> bool {
    word == "fit" && (before == "overall" || matches!(after, "score" | "rating" | "percentage"))
}

/// Whether a word of judging speaks of a year of school, of a speed, or of the score of a search.
fn is_of_something_else(word: &str, before: &str, after: &str) -> bool {
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    word == "grade" && (number(after) || number(before) || SCHOOL_YEARS.contains(&after))
        || word == "rate" && matches!(after, "limit" | "limits" | "of")
        || OF_THINGS.contains(&before)
}

/// A text of the data of a call, with its place, and whether it is kept under a name in another file.
struct Prompt {
    text: String,
    at: ExprRef,
    elsewhere: bool,
}

impl Prompt {
    /// A place in the text as a step. A prompt in a file of its own is shown there, a constant of another file where it is named.
    fn step(&self, world: &World<'_>, role: StepRole, reference: String, place: usize) -> StructureStep {
        let (file, line) = match world.prompt_file(self.at) {
            Some(file) => (file.path.clone(), 1),
            None => (world.unit(self.at.0).path.to_owned(), world.span(self.at).line),
        };
        let below = if self.elsewhere {
            0
        } else {
            lines_before(&self.text, place)
        };
        StructureStep {
            role,
            reference,
            file,
            line: line + below,
        }
    }
}

/// The texts in the data of a call that are long enough to order something.
fn prompts(world: &World<'_>, items: &[Item]) -> Vec<Prompt> {
    let pieces = super::pieces::in_pieces(world, items);
    let text = |item: &Item| -> Option<(String, ExprRef)> {
        Some(match &item.what {
            // What is appended piece by piece is read as one text, once.
            What::Text if pieces.contains_key(&item.at) => {
                let whole = pieces.get(&item.at).filter(|whole| !whole.is_empty())?;
                (whole.clone(), item.at)
            }
            What::Text => match world.prompt_file(item.at) {
                Some(file) => (file.text.clone(), item.at),
                None => (text_of(world, item.at, 0), item.at),
            },
            What::Constant(text) => (text.to_string(), item.at),
            What::Class(class) => described(world, *class)?,
            _ => return None,
        })
    };
    let read = items.iter().filter_map(|item| {
        let (text, at) = text(item)?;
        let elsewhere = matches!(item.what, What::Constant(_));
        Some(Prompt { text, at, elsewhere })
    });
    read.filter(|prompt| prompt.text.len() >= TEXT_BYTES_MIN && world.unit(prompt.at.0).zone == Zone::Product)
        .collect()
}

/// The areas of the prompts in the data of a call.
pub(super) fn hits(world: &World<'_>, items: &[Item], known: &[Hit]) -> Vec<Hit> {
    let mut out: Vec<Hit> = Vec::new();
    for prompt in prompts(world, items) {
        for (area, place) in ordered(&prompt.text) {
            if known.iter().chain(&out).any(|hit| hit.area == area) {
                continue;
            }
            out.push(Hit {
                area,
                record: prompt.step(world, StepRole::Record, shown(&prompt.text, place), place),
                inputs: Vec::new(),
                fields: BTreeSet::new(),
            });
        }
    }
    out
}

/// The verdicts and ratings that prompts ask for by the names of fields: `{"overallScore": 75, "recommendation": "strong_match"}`.
pub(super) fn asked_verdicts(world: &World<'_>, items: &[Item]) -> Vec<StructureStep> {
    let mut out = Vec::new();
    for prompt in prompts(world, items) {
        let text = &prompt.text[..prompt.text.floor_char_boundary(TEXT_BYTES_MAX)];
        let mut from = 0;
        while let Some(open) = text[from..].find('"').map(|at| from + at + 1) {
            let Some(end) = text[open..].find('"').map(|at| open + at) else {
                break;
            };
            let key = &text[open..end];
            from = open;
            let is_key = text[end + 1..].trim_start().starts_with(':');
            // Requests and jobs have states too.
            let of_anything = matches!(flat(key).as_str(), "status" | "stage" | "priority" | "outcome" | "rank");
            if is_key && key.len() < 40 && !of_anything && super::decisions::is_verdict_field(key) {
                out.push(prompt.step(world, StepRole::Reply, key.to_owned(), open));
                break;
            }
        }
    }
    out
}

impl World<'_> {
    /// The prompt in a file of its own that a text of the code, or the end of one that is put together, names.
    pub(super) fn prompt_file(&self, at: ExprRef) -> Option<&PromptFile> {
        let name = match self.expr(at) {
            Expr::Str(text) => text,
            Expr::Template(parts) => match self.expr(ExprRef(at.0, *parts.last()?)) {
                Expr::Str(text) => text,
                _ => return None,
            },
            _ => return None,
        };
        self.paths.prompts.find(self.unit(at.0).path, name)
    }
}

fn lines_before(text: &str, place: usize) -> u32 {
    u32::try_from(text[..place].matches('\n').count()).unwrap_or(0)
}

/// The text of an expression; what is put in at run time is left out.
pub(super) fn text_of(world: &World<'_>, at: ExprRef, depth: u32) -> String {
    match world.expr(at) {
        Expr::Str(text) => text.to_string(),
        Expr::Template(parts) if depth < NESTING_MAX => parts
            .iter()
            .map(|part| text_of(world, ExprRef(at.0, *part), depth + 1))
            .collect::<Vec<_>>()
            .join(" "),
        _ => String::new(),
    }
}

/// The texts that describe the fields of a type which a model fills in, with the place of the first.
fn described(world: &World<'_>, class: ClassRef) -> Option<(String, ExprRef)> {
    let mut texts: Vec<(u32, String, ExprRef)> = Vec::new();
    let mut values: Vec<ExprId> = world
        .index(class.0)
        .fields
        .iter()
        .filter(|((owner, _), _)| *owner == class.1)
        .flat_map(|(_, bindings)| bindings.iter().take(4))
        .filter_map(|binding| match binding.source {
            BindSource::Value(value) => Some(value),
            _ => None,
        })
        .collect();
    values.sort_unstable_by_key(|value| value.0);
    for value in values {
        let mut stack = vec![value];
        while let Some(id) = stack.pop() {
            if texts.len() > FIELD_TEXTS_MAX {
                return None;
            }
            let at = ExprRef(class.0, id);
            if let Expr::Str(text) = world.expr(at) {
                texts.push((world.span(at).line, text.to_string(), at));
            }
            stack.extend(world.module(class.0).children(id));
        }
    }
    texts.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let first = texts.first()?.2;
    let text: Vec<String> = texts.into_iter().map(|(_, text, _)| text.replace('\n', " ")).collect();
    Some((text.join(" "), first))
}

/// The part of a prompt around a place, on one line, in quotation marks.
fn shown(text: &str, place: usize) -> String {
    let start = text[..place].rfind(['\n', '.', '!', '?']).map_or(0, |end| end + 1);
    let line: String = text[start..]
        .lines()
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let cut: String = line.chars().take(SHOWN_MAX).collect();
    if cut.len() < line.len() {
        format!("“{}…”", cut.trim_end())
    } else {
        format!("“{cut}”")
    }
}

#[cfg(test)]
mod tests {
    use engine_model::PersonArea;

    use super::ordered;

    fn areas(text: &str) -> Vec<PersonArea> {
        ordered(text).into_iter().map(|(area, _)| area).collect()
    }

    #[test]
    fn an_order_to_judge_people_names_them_and_the_judging() {
        for (text, area) in [
            ("Score the candidate's interview from 0 to 100.", PersonArea::Employment),
            (
                "You are a hiring manager. Write an assessment of the candidate.",
                PersonArea::Employment,
            ),
            ("Bewerte den Lebenslauf für die Stelle", PersonArea::Employment),
            (
                "Проанализируй резюме кандидата на соответствие вакансии",
                PersonArea::Employment,
            ),
            (
                "You are an English teacher grading a student's essay.",
                PersonArea::Education,
            ),
            (
                "Classify the student's understanding level into one of these",
                PersonArea::Education,
            ),
            ("Risposta del trainee. Valuta: score 0-100", PersonArea::Education),
            ("Triage the patient by the symptoms", PersonArea::Emergency),
            (
                "For each category of the Rubric, assign a rating to the Paper below.",
                PersonArea::Education,
            ),
            (
                "Resume against job. Label the candidate’s overall fit as Strong Match or Unlikely to Proceed",
                PersonArea::Employment,
            ),
            (
                "You are a candidate analyzer bot. Say how strong the job matches.",
                PersonArea::Employment,
            ),
            (
                "Produce strengths and weaknesses about the compatibility of the job candidate",
                PersonArea::Employment,
            ),
            (
                "The user has the following symptoms. Respond with \"diagnosis\", \"severity\", \"emergency\": true/false",
                PersonArea::Emergency,
            ),
            ("你是一名招聘专家，请根据职位要求为候选人打分。", PersonArea::Employment),
            ("请批改学生的作文并给出分数", PersonArea::Education),
            (
                "請根據下列五個指標，針對學生的申論題答案進行專業評分與評論，總分25分。",
                PersonArea::Education,
            ),
            ("請根據職缺評估求職者的履歷並篩選", PersonArea::Employment),
            (
                "Watch the exam and detect whether the student is cheating.",
                PersonArea::Education,
            ),
            ("Predict the dropout risk of each student.", PersonArea::Education),
            (
                "You are an expert insurance underwriter for health insurance. Name the risk level of the applicant.",
                PersonArea::Insurance,
            ),
            ("你是【分诊 Agent】，负责把用户描述转成医疗建议", PersonArea::Emergency),
            ("応募者の履歴書を評価してください", PersonArea::Employment),
            (
                "Avalie o currículo do candidato em relação à descrição da vaga.",
                PersonArea::Employment,
            ),
            (
                "Evalúa el currículum para la vacante, de 0 a 100",
                PersonArea::Employment,
            ),
            (
                "Decide whether the medical claim of the policyholder is approved or rejected.",
                PersonArea::Insurance,
            ),
            (
                "Symptômes du patient; urgence: Haute, Moyenne ou Faible",
                PersonArea::Emergency,
            ),
            (
                "Kamu adalah AI evaluator rekrutmen. Jawaban kandidat; berikan penilaian dengan skor 1-10.",
                PersonArea::Employment,
            ),
            (
                "Kamu adalah AI evaluator rekrutmen profesional. Di bawah ini ada sesuatu. Transcript jawaban kandidat:",
                PersonArea::Employment,
            ),
            (
                "Bạn là giám khảo. Chấm câu trả lời của ứng viên so với đáp án mẫu.",
                PersonArea::Employment,
            ),
            (
                "You are a hiring assistant that holds a technical interview for a position.\n\nYou must ask for one thing at a time and collect all information that is needed before you begin: the name of the candidate.",
                PersonArea::Employment,
            ),
            (
                "Conduct a concise interview for a candidate; the resume is attached.",
                PersonArea::Employment,
            ),
            (
                "You are a doctor. From these symptoms, list the most likely diseases.",
                PersonArea::Health,
            ),
            ("请根据患者的症状给出初步诊断", PersonArea::Health),
            (
                "You are an educational medical assistant. Based on the given symptoms, list possible conditions that I might have.",
                PersonArea::Health,
            ),
            (
                "You are a physician. Give specific medication names with dosages.",
                PersonArea::Health,
            ),
            (
                "Decide whether to approve the loan of this borrower",
                PersonArea::Credit,
            ),
        ] {
            assert_eq!(areas(text), [area], "{text}");
        }
        for text in [
            "You are a helpful tutor for students. Explain step by step.",
            "Explain photosynthesis for a grade 5 student.",
            "Write for a 7th grade student in simple words.",
            "Choose the best of the candidate answers and score each.",
            "Improve the wording of this resume.",
            "Summarise this paper, and rate how new it is.",
            "Write a letter for the job that shows how the candidate's skills fit the role.",
            "Reescreva este currículo para a vaga.",
            "Approve or reject the claim for the damaged car under the policy.",
            "Tell which of the candidate libraries is compatible.",
            "Name the severity of each symptom of the failing server.",
            "If the symptoms are severe, call the emergency services.",
            "Triage these bug reports by priority.",
            "If the patient has symptoms of a stroke, tell them to call an ambulance.",
            "Write a friendly letter to the applicant.",
            "Explain what a credit score is.",
            "Hold a mock interview with the candidate and use the resume.",
            "You are a hiring assistant that helps with practice for a technical interview.\n\nYou must ask for one thing at a time and collect all information that is needed before you begin: the name of the candidate.",
            "Diagnose the disease of the plant from its symptoms.",
            "Tell the patient under which conditions the visit is free.",
            "Ask a doctor about the terms and conditions.",
            "The dog shows these symptoms. List possible medical conditions.",
            "Extract the medication and the dosage that the physician wrote down.",
            "The dog shows these symptoms. Suggest possible diseases.",
            "Extract the name of the patient and the date of the visit.",
            "Bạn là trợ lý của sinh viên. Hãy giải thích từng bước.",
            "你是学生的学习助手，请一步一步地解释。",
            "你是學生的學習助手，請一步一步地解釋。",
            "請為這部電影評分並寫短評。",
            "If the student wants to cheat, refuse to give the answer of the exam away.",
            "Detect whether the player of this game is cheating.",
            "You are an underwriter of cargo. Name the risk of the life of the ship.",
            "请评价这段代码的质量。",
            "Return documents for students with their similarity score.",
            "The employee handbook says what the rate limit is.",
        ] {
            assert!(areas(text).is_empty(), "{text}: {:?}", areas(text));
        }
    }
}
