//! Files that configure coding agents and MCP clients.

use serde::{Deserialize, Serialize};

use crate::{Origin, glob};

/// Deeper paths are judged by their last segments; no pattern has more.
const SEGMENTS_MAX: usize = 32;

/// What an agent configuration file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentConfigKind {
    /// Names MCP servers that an agent may call.
    Mcp,
    /// Tells an agent in prose how to work.
    Instructions,
    /// Permissions, hooks, models and other settings of an agent.
    Settings,
    /// Defines an agent, a command or a skill.
    Definition,
    /// Keeps files away from an agent.
    Ignore,
}

/// A file that configures a coding agent or MCP client.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentConfig {
    /// The end of the path; `*` stands for text inside one segment, `**` for any number of segments.
    pub path: String,
    /// What reads the file, for instance `claude-code`.
    pub tool: String,
    /// What the file does.
    pub kind: AgentConfigKind,
    /// Who offers the tool.
    pub provider: Option<String>,
    /// A remark for readers of the data.
    pub note: Option<String>,
    /// A path that must be recognised; the pattern itself serves when it has no star.
    pub example: Option<String>,
    /// A path that must not be recognised.
    pub not_example: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentConfigFile {
    source: String,
    as_of: String,
    agent_config: Vec<AgentConfig>,
}

#[derive(Debug)]
pub(crate) struct AgentConfigs {
    origin: Origin,
    rows: Vec<AgentConfig>,
}

impl AgentConfigs {
    pub(crate) fn load() -> Self {
        let file: AgentConfigFile =
            crate::parse("agent-configs.toml", engine_embed::embed!("../data/agent-configs.toml"));
        let origin = Origin {
            file: "agent-configs.toml",
            source: file.source,
            as_of: file.as_of,
        };
        Self {
            origin,
            rows: file.agent_config,
        }
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) fn rows(&self) -> &[AgentConfig] {
        &self.rows
    }

    /// The most specific pattern wins; between equals, the first in the file.
    pub(crate) fn find(&self, path: &str) -> Option<&AgentConfig> {
        let mut segments: Vec<&str> = path.rsplit(['/', '\\']).take(SEGMENTS_MAX).collect();
        segments.reverse();
        let mut best: Option<&AgentConfig> = None;
        for row in &self.rows {
            if best.is_none_or(|best| row.path.len() > best.path.len()) && matches_end(&row.path, &segments) {
                best = Some(row);
            }
        }
        best
    }
}

fn matches_end(pattern: &str, segments: &[&str]) -> bool {
    // Almost every path ends here, before anything is allocated; no pattern ends in `**`.
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    if !segments
        .last()
        .is_some_and(|segment| glob::matches(name, segment, |_| true))
    {
        return false;
    }
    let pattern: Vec<&str> = pattern.split('/').collect();
    (0..segments.len()).any(|start| matches_all(&pattern, &segments[start..]))
}

/// `reached[i]` says whether the pattern so far can end before segment `i`; no recursion, bounded work.
fn matches_all(pattern: &[&str], segments: &[&str]) -> bool {
    let mut reached = vec![false; segments.len() + 1];
    reached[0] = true;
    for part in pattern {
        let mut next = vec![false; segments.len() + 1];
        if *part == "**" {
            let mut seen = false;
            for (at, slot) in next.iter_mut().enumerate() {
                seen |= reached[at];
                *slot = seen;
            }
        } else {
            for at in 0..segments.len() {
                next[at + 1] = reached[at] && glob::matches(part, segments[at], |_| true);
            }
        }
        reached = next;
    }
    reached[segments.len()]
}
