//! What tokens cost: dated list prices as data.

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The table of prices.
const TABLE: &str = include_str!("../data/prices.toml");

/// Digits of a date at the end of a model's name.
const DATE_DIGITS: [usize; 2] = [4, 8];

/// The provider of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// `OpenAI`.
    #[serde(rename = "openai")]
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// A local Ollama server.
    Ollama,
    /// Any other service with the interface of `OpenAI`.
    Compatible,
}

impl Provider {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
            Self::Compatible => "compatible",
        }
    }
}

/// Prices of a model, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Prices {
    /// For a million tokens sent.
    pub input_per_million: f64,
    /// For a million tokens received.
    pub output_per_million: f64,
}

impl Prices {
    /// What tokens cost.
    pub fn of(&self, input: f64, output: f64) -> f64 {
        (input * self.input_per_million + output * self.output_per_million) / 1e6
    }
}

/// Where a price was published, and when it was read there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceSource {
    /// The provider.
    pub id: String,
    /// The page.
    pub url: String,
    /// The state of the page, as a date.
    pub as_of: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    source: String,
    model: String,
    input: f64,
    output: f64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    source: Vec<PriceSource>,
    price: Vec<Row>,
}

fn table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    READ.get_or_init(|| engine_embed::from_toml(TABLE).unwrap_or_default())
}

/// The list price of a model of a provider; none where the table does not name it.
pub fn price(provider: Provider, model: &str) -> Option<Prices> {
    let model = model.trim().to_ascii_lowercase();
    let row = table().price.iter().find(|row| {
        row.source == provider.name()
            && model
                .strip_prefix(row.model.as_str())
                .is_some_and(|rest| rest.is_empty() || rest == "-latest" || is_date(rest))
    })?;
    Some(Prices {
        input_per_million: row.input,
        output_per_million: row.output,
    })
}

/// The state of the prices of a provider, as a date.
pub fn prices_as_of(provider: Provider) -> Option<&'static str> {
    let source = table().source.iter().find(|source| source.id == provider.name())?;
    Some(source.as_of.as_str())
}

/// `-2024-08-06` or `-20250929`.
fn is_date(rest: &str) -> bool {
    let Some(date) = rest.strip_prefix('-') else {
        return false;
    };
    let digits: String = date.split('-').collect();
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && DATE_DIGITS.contains(&date.split('-').next().map_or(0, str::len))
        && digits.len() == 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_dated_source_and_a_price() {
        let table: Table = toml::from_str(TABLE).unwrap();
        assert!(table.price.len() > 10);
        for row in &table.price {
            let source = table.source.iter().find(|source| source.id == row.source).unwrap();
            assert!(
                source.url.starts_with("https://") && source.as_of.len() == 10,
                "{source:?}"
            );
            assert!(row.input > 0.0 && row.output >= row.input, "{}", row.model);
            let same = table.price.iter().filter(|other| other.model == row.model).count();
            assert_eq!(same, 1, "{}", row.model);
        }
    }

    #[test]
    fn a_dated_name_has_the_price_of_its_row_and_a_sibling_has_not() {
        let input = |provider, model| price(provider, model).map(|prices| prices.input_per_million);
        assert_eq!(input(Provider::OpenAi, "gpt-4o"), Some(2.5));
        assert_eq!(input(Provider::OpenAi, "gpt-4o-2024-08-06"), Some(2.5));
        assert_eq!(input(Provider::OpenAi, "gpt-4o-mini"), Some(0.15));
        assert_eq!(input(Provider::OpenAi, "gpt-4o-audio-preview"), None);
        assert_eq!(input(Provider::Anthropic, "claude-sonnet-4-5-20250929"), Some(3.0));
        assert_eq!(input(Provider::Anthropic, "claude-opus-4-20250514"), Some(15.0));
        assert_eq!(input(Provider::Anthropic, "claude-3-5-haiku-latest"), Some(0.8));
        assert_eq!(input(Provider::Compatible, "gpt-4o"), None);
        assert!(prices_as_of(Provider::OpenAi).is_some() && prices_as_of(Provider::Ollama).is_none());
    }

    #[test]
    fn tokens_are_multiplied_by_their_price() {
        let prices = Prices {
            input_per_million: 2.0,
            output_per_million: 8.0,
        };
        assert!((prices.of(500_000.0, 250_000.0) - 3.0).abs() < 1e-9);
    }
}
