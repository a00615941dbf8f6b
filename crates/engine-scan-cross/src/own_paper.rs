//! The audience of a product that reads CVs: applicants or recruiters.
//!
//! A tool with which people write a CV or a cover letter, make their own better or practise for an interview selects nobody (Annex III point 4
//! speaks of those who do).
//! What the texts of the interface say is told here; whether it counts is decided where the question about employment is raised, and a word for
//! those who choose anywhere in the product outweighs it.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use engine_catalogue::rehearsal;
use engine_model::{Statement, StatementKind};

use crate::patterns::pattern;
use crate::read::Out;

/// Bytes of a text of an interface; what is longer is an article or a prompt.
const TEXT_BYTES_MAX: usize = 400;
/// Texts of one file that are kept.
const TEXTS_MAX: usize = 2;

pattern!(
    OWN,
    r"(?ix)
    \b(?:improv|enhanc|optimi[sz]|tailor|polish|rewrit|boost|upgrad|perfect|strengthen|chang|updat|build|creat|generat|craft|analy[sz]|check|review|scor)(?:e|es|ed|ing|y)?\s+(?:[\w'-]+\s+){0,4}(?:your|my)\s+(?:[\w'-]+\s+){0,2}(?:cv|resume|résumé|cover\s+letter)\b
    | \b(?:based\s+on|from|in|match(?:es|ed|ing)?|fits?|to)\s+(?:your|my)\s+(?:cv|resume|résumé)\b
    | \b(?:your|the)\s+(?:new\s+|ai\s+)?(?:cv|resume|résumé|cover\s+letter)\s+(?:stand\s+out|is\s+ready|looks|stands)
    | \b(?:cv|resume|résumé|cover[\s-]+letter)\s+(?:generator|builder|writer|maker|optimi[sz]er|improver|tailor|assistant|coach)\b
    | \b(?:generat|writ|craft|creat|tailor|personali[sz])(?:e|es|ed|ing)?\s+(?:[\w'-]+\s+){0,3}cover\s+letters?\b
    | \b(?:land|find|get)\s+your\s+(?:next\s+|dream\s+|perfect\s+)+job\b
    | \b(?:mock|practi[cs]e|practi[cs]ing|simulated)\s+(?:[\w'-]+\s+){0,3}interviews?\b
    | \binterview\s+(?:prep|preparation|practice|coach|simulator|trainer)\b
    | \bprepare\s+for\s+your\s+(?:[\w'-]+\s+){0,3}interviews?\b
    | \b(?:optimiere|verbessere|erstelle|prüfe)(?:n\s+sie)?\s+(?:deinen|ihren)\s+lebenslauf\b
    | \b(?:améliorez|optimisez|créez|analysez)\s+votre\s+cv\b
    | \b(?:mejora|optimiza|crea|analiza)\s+tu\s+(?:cv|currículum|curriculum)\b
    | \b(?:melhore|otimize|crie|analise)\s+seu\s+(?:cv|currículo|curriculo)\b"
);
pattern!(
    CHOOSING,
    r"(?i)\b(?:candidates|applicants|shortlist\w*|job\s+applications?\s+received|recruiter\s+(?:dashboard|panel|portal|login)|for\s+recruiters|your\s+hiring|talent\s+pool|bewerber|candidats|candidatos)\b"
);

static PIECES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let pieces = [
        "resume",
        "résumé",
        "cover letter",
        "cover-letter",
        "your cv",
        "my cv",
        "cv ",
        "lebenslauf",
        "curr",
        "your next",
        "dream job",
        "applicants",
        "candidates",
        "shortlist",
        "recruiter",
        "bewerber",
        "candidat",
        "votre cv",
        "tu cv",
        "seu cv",
        "hiring",
        "interview",
    ];
    #[expect(
        clippy::expect_used,
        reason = "the pieces are part of the program and every test with a page reads them"
    )]
    let built = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(pieces)
        .expect("the pieces are valid");
    built
});

/// Whether a file may say whom it speaks to.
pub(crate) fn may_speak(text: &str) -> bool {
    PIECES.is_match(text) || rehearsal(text).is_some()
}

/// Tells whom the texts of one file speak to.
pub(crate) fn tell(text: &str, shown: &[(usize, &str)], out: &mut Out<'_>) {
    let texts = || {
        shown
            .iter()
            .filter(|(_, text)| text.len() <= TEXT_BYTES_MAX && may_speak(text))
    };
    for (kind, pattern) in [
        (StatementKind::OwnPaper, &OWN),
        (StatementKind::ChoosesPeople, &CHOOSING),
    ] {
        let says =
            |words: &str| pattern.is_match(words) || kind == StatementKind::OwnPaper && rehearsal(words).is_some();
        for (at, words) in texts().filter(|(_, words)| says(words)).take(TEXTS_MAX) {
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            out.say(
                kind,
                crate::interface::line_of(text, *at),
                words.chars().take(120).collect::<String>(),
            );
        }
    }
}

/// Tells whom a project is for, as it says where it introduces itself.
pub(crate) fn introduced(text: &str, out: &mut Out<'_>) {
    for (kind, pattern) in [
        (StatementKind::OwnPaper, &OWN),
        (StatementKind::ChoosesPeople, &CHOOSING),
    ] {
        let found = pattern
            .find(text)
            .map(|found| found.range())
            .or_else(|| rehearsal(text).filter(|_| kind == StatementKind::OwnPaper));
        if let Some(found) = found {
            let words = text[found.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
            out.say(kind, crate::interface::line_of(text, found.start), words);
        }
    }
}

/// The places at which a product addresses applicants; none if it addresses recruiters.
pub fn own_papers(statements: &[Statement]) -> impl Iterator<Item = &Statement> {
    let of = |kind| statements.iter().filter(move |statement| statement.kind == kind);
    let chooses = of(StatementKind::ChoosesPeople).next().is_some();
    of(StatementKind::OwnPaper).filter(move |_| !chooses)
}

#[cfg(test)]
mod tests {
    use engine_model::{SourceFile, StatementKind};

    use super::{CHOOSING, OWN};

    #[test]
    fn practice_statements_are_found_in_other_languages() {
        let says = |text: &str| {
            crate::read(&SourceFile::new("README.md", text.as_bytes()))
                .statements
                .iter()
                .any(|statement| statement.kind == StatementKind::OwnPaper)
        };
        assert!(says("# InterBit\n\nAI 기반 모의 면접 서비스\n"));
        assert!(says("# Coach\n\nSimulador de entrevistas con IA\n"));
        assert!(!says("# 면접 관리\n\n지원자의 면접 결과를 저장합니다\n"));
    }

    #[test]
    fn applicants_are_distinguished_from_recruiters() {
        for text in [
            "Analyze Your Resume",
            "Analyze my resume",
            "Optimize and tailor your CV for every job",
            "interview questions based on your CV",
            "Verify every suggestion before changing your CV.",
            "Cover Letter Generator",
            "This tool generates personalized cover letters based on job descriptions.",
            "Resume Generator",
            "AI-powered resume builder",
            "Additional skills found in your CV",
            "Optimiere deinen Lebenslauf",
            "Améliorez votre CV",
            "Practice your interview skills with AI-powered feedback",
            "AI Mock Interviews",
            "Interview Prep",
        ] {
            assert!(OWN.is_match(text), "{text}");
            assert!(!CHOOSING.is_match(text), "{text}");
        }
        for text in [
            "Upload your resume to apply",
            "Paste the CV of the candidate",
            "Rank resumes against a job description",
            "Resume the conversation",
            "Your application was received",
            "Start your interview",
            "Prepare the interview report",
        ] {
            assert!(!OWN.is_match(text), "{text}");
        }
        for text in [
            "Top candidates for this job",
            "Shortlisted applicants",
            "Recruiter Dashboard",
        ] {
            assert!(CHOOSING.is_match(text), "{text}");
        }
    }
}
