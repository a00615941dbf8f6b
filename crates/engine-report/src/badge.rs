//! The badge: an SVG image with the state of the last scan, measured by the widths of its font.

pub(crate) mod widths;

use std::fmt::Write;

use engine_messages::{Key, Language, Messages};
use engine_model::{Applicability, Date, ScanResult};

use crate::markup::escape;

/// Days after which a badge is grey.
pub const BADGE_DAYS: i32 = 30;

/// Size of the font in pixels.
pub(crate) const SIZE: f64 = 11.0;

/// Space at each side of a text, in pixels.
pub(crate) const PADDING: f64 = 6.0;

/// Colours on which white text has a contrast of at least 4.5 to 1.
pub(crate) const GREEN: &str = "#2e7d32";
pub(crate) const AMBER: &str = "#8a5a00";
pub(crate) const RED: &str = "#b3261e";
pub(crate) const SLATE: &str = "#3d5a80";
pub(crate) const GREY: &str = "#5f6368";
const LABEL: &str = "#3c4043";

/// What a badge is about.
#[derive(Clone, Copy, Debug)]
pub struct Badge<'a> {
    /// The last scan; none before the first one.
    pub scan: Option<&'a ScanResult>,
    /// The day on which the badge is read.
    pub today: Date,
    /// The language of its text.
    pub language: Language,
}

/// What a scan can say about itself in a few words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Standing {
    /// No AI system was found.
    NoAi,
    /// A library.
    Library,
    /// Whether there is a system could not be determined.
    Undetermined,
    /// No duty in force was evaluated.
    NotAssessed,
    /// Less than half of the weight in force was evaluated.
    Partly,
    /// Enough was evaluated for a number.
    Rated(f64),
}

impl Standing {
    pub(crate) fn of(scan: &ScanResult) -> Self {
        match scan.applicability {
            Applicability::NoAiFound => Self::NoAi,
            Applicability::Library => Self::Library,
            Applicability::Undetermined => Self::Undetermined,
            Applicability::SystemsFound if !scan.score.assessed => Self::NotAssessed,
            Applicability::SystemsFound if scan.score.grade.is_none() => Self::Partly,
            Applicability::SystemsFound => Self::Rated(scan.score.readiness),
        }
    }

    /// The words for it.
    pub(crate) fn words(self, scan: &ScanResult, messages: &Messages) -> String {
        match self {
            Self::NoAi => messages.text(Key::BadgeNoAi).to_owned(),
            Self::Library => messages.text(Key::BadgeLibrary).to_owned(),
            Self::Undetermined => messages.text(Key::BadgeUndetermined).to_owned(),
            Self::NotAssessed => messages.text(Key::BadgeNotAssessed).to_owned(),
            Self::Partly => messages.fill(
                Key::BadgePartly,
                &[
                    ("evaluated", &messages.number(scan.score.evaluated)),
                    ("all", &messages.number(scan.score.applicable)),
                ],
            ),
            // Rounded down, so that a badge never shows more than there is.
            Self::Rated(score) => messages.fill(Key::BadgeReadiness, &[("score", &format!("{:.0}", score.floor()))]),
        }
    }
}

/// The badge as SVG. The same scan, day and language always give the same bytes.
pub fn badge(about: &Badge<'_>) -> String {
    let messages = Messages::of(about.language);
    let label = messages.text(Key::BadgeLabel);
    let face = Face::of(about, messages);
    svg(label, &face)
}

/// What the badge says, in a sentence: its title for a person who does not see it.
pub(crate) fn badge_title(about: &Badge<'_>) -> String {
    Face::of(about, Messages::of(about.language)).title
}

/// What a badge says, and its colour.
struct Face {
    message: String,
    title: String,
    colour: &'static str,
}

impl Face {
    fn of(about: &Badge<'_>, messages: &Messages) -> Self {
        let label = messages.text(Key::BadgeLabel);
        let Some(scan) = about.scan else {
            let message = messages.text(Key::BadgeNoScan).to_owned();
            return Self {
                title: messages.fill(Key::BadgeTitleNoScan, &[("label", label), ("message", &message)]),
                message,
                colour: GREY,
            };
        };
        let standing = Standing::of(scan);
        let old = age(scan, about.today).is_none_or(|days| days > BADGE_DAYS);
        let date = scan.scanned_at.get(..10).unwrap_or_default();
        let version = scan.regulation_version.rsplit('@').next().unwrap_or_default();
        let rules = messages.fill(Key::BadgeRules, &[("version", version)]);
        let basis = messages.text(Key::BadgeSelfAssessed);
        let mut state = standing.words(scan, messages);
        if old {
            let days = BADGE_DAYS.to_string();
            let _ = write!(state, ", {}", messages.fill(Key::BadgeOld, &[("days", &days)]));
        }
        let mut title = messages.fill(
            Key::BadgeTitle,
            &[
                ("label", label),
                ("message", &state),
                ("basis", basis),
                ("date", date),
                ("rules", &rules),
            ],
        );
        if matches!(standing, Standing::NotAssessed | Standing::Partly | Standing::Rated(_)) {
            title.push(' ');
            title.push_str(&messages.fill(
                Key::BadgeCounts,
                &[
                    ("evaluated", &messages.number(scan.score.evaluated)),
                    ("all", &messages.number(scan.score.applicable)),
                ],
            ));
        }
        Self {
            message: format!("{state} · {basis} · {date} · {rules}"),
            title,
            colour: if old { GREY } else { colour(standing, scan) },
        }
    }
}

/// Days between a scan and a day; none where the time of the scan cannot be read.
pub(crate) fn age(scan: &ScanResult, today: Date) -> Option<i32> {
    let on: Date = scan.scanned_at.get(..10)?.parse().ok()?;
    Some(today.since(on).ok()?.get_days())
}

fn colour(standing: Standing, scan: &ScanResult) -> &'static str {
    match standing {
        Standing::NoAi | Standing::Library | Standing::Undetermined => GREY,
        Standing::NotAssessed | Standing::Partly => SLATE,
        Standing::Rated(_) if scan.score.critical_cap_applied => RED,
        Standing::Rated(score) if score >= 80.0 => GREEN,
        Standing::Rated(score) if score >= 50.0 => AMBER,
        Standing::Rated(_) => RED,
    }
}

fn svg(label: &str, face: &Face) -> String {
    let (left, right) = (widths::width(label, SIZE), widths::width(&face.message, SIZE));
    // Whole pixels for the boxes: a seam between them would be blurred.
    let (box_left, box_right) = ((left + 2.0 * PADDING).ceil(), (right + 2.0 * PADDING).ceil());
    let total = box_left + box_right;
    let mut out = String::with_capacity(1200);
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total:.0}\" height=\"20\" viewBox=\"0 0 {total:.0} 20\" role=\"img\" \
         aria-labelledby=\"engine-badge-title\">"
    );
    let _ = writeln!(out, "<title id=\"engine-badge-title\">{}</title>", escape(&face.title));
    let _ = writeln!(
        out,
        "<clipPath id=\"engine-badge-edge\"><rect width=\"{total:.0}\" height=\"20\" rx=\"3\"/></clipPath>"
    );
    let _ = writeln!(
        out,
        "<g clip-path=\"url(#engine-badge-edge)\"><rect width=\"{box_left:.0}\" height=\"20\" fill=\"{LABEL}\"/><rect x=\"{box_left:.0}\" \
         width=\"{box_right:.0}\" height=\"20\" fill=\"{}\"/></g>",
        face.colour
    );
    let _ = writeln!(
        out,
        "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,Geneva,sans-serif\" font-size=\"{SIZE:.0}\" aria-hidden=\"true\">"
    );
    for (text, x, width) in [
        (label, PADDING, left),
        (face.message.as_str(), box_left + PADDING, right),
    ] {
        let _ = writeln!(
            out,
            "<text x=\"{x:.0}\" y=\"14\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
            escape(text)
        );
    }
    out.push_str("</g>\n</svg>\n");
    out
}
