//! The parameters of a what-if analysis, read strictly.

use std::collections::BTreeMap;

use engine_model::{Date, ErrorCode, Failure, nearest};
use engine_regulation::{Jurisdiction, regulation};
use engine_scanner::{Role, StatedClass};
use serde_json::Value;

use super::manifest::Wanted;
use crate::requests::{WhatIfKind, WhatIfRequest};
use crate::simulate::shown;

/// The classes that a request can state.
const CLASSES: [&str; 4] = ["prohibited", "high", "limited", "minimal"];

/// The roles that a request can state.
const ROLES: [(&str, Role); 3] = [
    ("provider", Role::Provider),
    ("deployer", Role::Deployer),
    ("both", Role::Both),
];

/// One change, read and known to be possible.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// From one country to another; the first is that of the profile if absent.
    Jurisdiction {
        from: Option<&'static Jurisdiction>,
        to: &'static Jurisdiction,
    },
    /// One more package.
    Tool(Wanted),
    /// Another class of risk.
    RiskLevel { from: Option<StatedClass>, to: StatedClass },
    /// Another date.
    Date(Date),
    /// Another role, with its name.
    Role(Role, &'static str),
}

/// Reads the parameters of a request.
pub(super) fn read(request: &WhatIfRequest) -> Result<Change, Failure> {
    let params = Params(&request.params);
    match request.kind {
        WhatIfKind::Jurisdiction => {
            params.only(&["from", "to"])?;
            Ok(Change::Jurisdiction {
                from: params.text("from")?.map(|code| country("from", code)).transpose()?,
                to: country("to", params.required("to", "the code of a country, such as `FR`")?)?,
            })
        }
        WhatIfKind::Tool => {
            params.only(&["name"])?;
            Wanted::read(params.required("name", "the name of a package, such as `pypi:openai`")?).map(Change::Tool)
        }
        WhatIfKind::RiskLevel => {
            params.only(&["from", "to"])?;
            let what = "one of `prohibited`, `high`, `limited`, `minimal`";
            Ok(Change::RiskLevel {
                from: params.text("from")?.map(|name| class("from", name)).transpose()?,
                to: class("to", params.required("to", what)?)?,
            })
        }
        WhatIfKind::Date => {
            params.only(&["to"])?;
            let text = params.required("to", "a date such as `2027-12-02`")?;
            let date = text.trim().parse().map_err(|_| {
                let details = format!("`{}` is not a date; write it like `2027-12-02`", shown(text));
                invalid("to", details)
            })?;
            Ok(Change::Date(date))
        }
        WhatIfKind::Role => {
            params.only(&["to"])?;
            let name = params.required("to", "one of `provider`, `deployer`, `both`")?;
            let names = ROLES.map(|(name, _)| name);
            let wanted = name.trim().to_lowercase();
            let found = ROLES.iter().find(|(name, _)| *name == wanted);
            found
                .map(|(name, role)| Change::Role(*role, name))
                .ok_or_else(|| not_one_of("to", name, "a role", &names))
        }
    }
}

/// The parameters as they came.
struct Params<'a>(&'a BTreeMap<String, Value>);

impl<'a> Params<'a> {
    /// Refuses what the type does not have.
    fn only(&self, known: &[&str]) -> Result<(), Failure> {
        let Some(unknown) = self.0.keys().find(|name| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let meant = nearest(unknown, known.iter().copied()).map(|name| format!("; did you mean `params.{name}`?"));
        let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let details = format!(
            "unknown parameter `params.{}`{} This type has {}.",
            shown(unknown),
            meant.unwrap_or_else(|| ".".to_owned()),
            known.join(" and ")
        );
        Err(invalid(&shown(unknown), details))
    }

    /// A text; null counts as absent.
    fn text(&self, name: &str) -> Result<Option<&'a str>, Failure> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(invalid(
                name,
                format!("`params.{name}` must be a string; write it in quotation marks"),
            )),
        }
    }

    fn required(&self, name: &str, what: &str) -> Result<&'a str, Failure> {
        let text = self.text(name)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| invalid(name, format!("`params.{name}` is missing; give {what}")))
    }
}

fn invalid(name: &str, details: String) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, details).field(format!("params.{name}"))
}

fn not_one_of(field: &str, given: &str, what: &str, known: &[&str]) -> Failure {
    let meant = nearest(given, known.iter().copied()).map(|name| format!("; did you mean `{name}`?"));
    let details = format!(
        "`{}` is not {what}{} Allowed values: `{}`.",
        shown(given),
        meant.unwrap_or_else(|| ".".to_owned()),
        known.join("`, `")
    );
    invalid(field, details)
}

fn class(field: &str, name: &str) -> Result<StatedClass, Failure> {
    StatedClass::of(&name.trim().to_lowercase()).ok_or_else(|| not_one_of(field, name, "a risk class", &CLASSES))
}

/// The country with a code. Its name in English is understood as a typing error.
fn country(field: &str, code: &str) -> Result<&'static Jurisdiction, Failure> {
    let all = regulation().jurisdictions();
    if let Some(found) = regulation().jurisdiction(code.trim()) {
        return Ok(found);
    }
    let by_name = nearest(code, all.iter().map(|one| one.name.as_str()));
    let meant = all
        .iter()
        .find(|one| Some(one.name.as_str()) == by_name)
        .map(|one: &Jurisdiction| format!("; did you mean `{}`?", one.code));
    let codes: Vec<&str> = all.iter().map(|one| one.code.as_str()).collect();
    let details = format!(
        "unknown country code `{}` for the EU or EEA{} The codes are {}",
        shown(code),
        meant.unwrap_or_else(|| ".".to_owned()),
        codes.join(", ")
    );
    Err(Failure::new(ErrorCode::UnknownJurisdiction, details).field(format!("params.{field}")))
}
