//! Configuration of clients of the Model Context Protocol: names and targets, never arguments or environment.

use engine_model::{McpServer, SourceFile};

use crate::DependencyFacts;
use crate::node::{Entry, Node};
use crate::package::without_credentials;

pub(super) fn config(file: &SourceFile<'_>, root: &Node<'_>, facts: &mut DependencyFacts) {
    let tables = ["mcpServers", "servers", "mcp_servers", "context_servers"]
        .iter()
        .filter_map(|key| root.get(key))
        .chain(root.at(&["mcp", "servers"]))
        // One client keeps its servers directly under `mcp`.
        .chain(root.get("mcp").filter(|node| node.get("servers").is_none()));
    for table in tables {
        for entry in table.entries() {
            facts.mcp_servers.extend(server(file, entry));
        }
    }
}

fn server(file: &SourceFile<'_>, entry: &Entry<'_>) -> Option<McpServer> {
    let node = &entry.node;
    let url = ["url", "serverUrl", "httpUrl"].iter().find_map(|key| node.str(key));
    let command = node.get("command").and_then(command);
    if url.is_none() && command.is_none() {
        return None;
    }
    let declared = node.str("type").or_else(|| node.str("transport"));
    let transport = match (declared, url) {
        (Some("sse"), Some(_)) => "sse",
        (_, Some(url)) if url.trim_end_matches('/').ends_with("/sse") => "sse",
        (_, Some(_)) => "http",
        _ => "stdio",
    };
    Some(McpServer {
        name: entry.key.to_string(),
        transport: transport.to_owned(),
        target: url.map(address).or_else(|| command.map(str::to_owned)),
        file: file.path.to_string(),
        line: entry.line,
    })
}

/// The program alone: what follows it may hold secrets.
fn command<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    let text = node
        .text()
        .or_else(|| node.items().first()?.text())
        .or_else(|| node.str("path"))?;
    text.split_whitespace().next()
}

/// An address without user, query and fragment.
fn address(text: &str) -> String {
    let bare = text.split(['?', '#']).next().unwrap_or(text);
    without_credentials(bare)
}
