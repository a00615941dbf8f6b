//! Texts that a program shows itself: texts of windows and apps, parts of pages that a script fills, data sent over an
//! open connection.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::words_of;
use engine_model::Language;
use engine_syntax::ir::{Declares, Expr, ExprId, Pattern, Stmt, StmtKind};

use super::{callee_name, object_name};
use crate::flow::states::makes_a_state;
use crate::project::is_script;
use crate::values::{ExprRef, id};
use crate::world::World;

/// Beginnings of modules with which a program draws its own windows.
const WINDOWS: [&str; 44] = [
    "android",
    "androidx",
    "com.google.android.material",
    "javafx",
    "javax.swing",
    "java.awt",
    "org.eclipse.swt",
    "com.vaadin",
    "System.Windows",
    "Microsoft.UI",
    "Microsoft.Maui",
    "Avalonia",
    "UnityEngine",
    "TMPro",
    "Xamarin",
    "Windows.UI",
    "Terminal.Gui",
    "MudBlazor",
    "tkinter",
    "customtkinter",
    "PyQt5",
    "PyQt6",
    "PySide2",
    "PySide6",
    "kivy",
    "kivymd",
    "flet",
    "nicegui",
    "wx",
    "textual",
    "pyttsx3",
    "dearpygui",
    "iced",
    "egui",
    "eframe",
    "ratatui",
    "slint",
    "gtk",
    "gtk4",
    "tauri",
    "fyne.io/fyne",
    "github.com/charmbracelet/bubbletea",
    "gioui.org",
    "tkinter.scrolledtext",
];

/// Methods that put a text into a window, or have it said.
const PUTS: [&str; 29] = [
    "setText",
    "SetText",
    "set_text",
    "appendText",
    "AppendText",
    "insertPlainText",
    "setHtml",
    "setMarkdown",
    "setPlainText",
    "set_label",
    "set_markup",
    "postValue",
    "tryEmit",
    "submitList",
    "speak",
    "config",
    "configure",
    "showinfo",
    "showMessage",
    "Text",
    "Label",
    "Markdown",
    "makeText",
    "loadData",
    "loadDataWithBaseURL",
    "ShowAsync",
    "DisplayAlert",
    "SpeakAsync",
    "setMessage",
];

/// Methods that add to what a window holds, where what they add to is named for it.
const ADDS: [&str; 10] = [
    "add", "append", "insert", "emit", "update", "Add", "Insert", "addAll", "say", "setValue",
];

/// Words of what holds the texts of a window.
const HOLDERS: [&str; 26] = [
    "message",
    "messages",
    "chat",
    "chats",
    "conversation",
    "text",
    "output",
    "display",
    "area",
    "box",
    "view",
    "response",
    "responses",
    "answer",
    "state",
    "flow",
    "label",
    "result",
    "screen",
    "engine",
    "tts",
    "log",
    "textbox",
    "content",
    "reply",
    "page",
];

/// Members that hold what a person reads.
const MEMBERS: [&str; 5] = ["text", "Text", "value", "Content", "content"];

/// Parts of a page that a script fills.
const ELEMENTS: [&str; 5] = ["textContent", "innerText", "innerHTML", "outerHTML", "srcdoc"];

/// Libraries for the state that the components of a page share and show.
const STORES: [&str; 6] = [
    "zustand",
    "zustand/vanilla",
    "zustand/middleware",
    "react-redux",
    "redux",
    "@reduxjs/toolkit",
];

/// Which files draw windows of their own.
pub(super) struct Screens {
    units: BTreeSet<u32>,
    react: BTreeSet<u32>,
    stores: BTreeSet<u32>,
    /// What the markup of a component shows, by the name that its script gives it.
    states: BTreeMap<u32, BTreeSet<String>>,
}

/// The states of a component of Vue, Svelte or Angular.
fn states_of(world: &World<'_>, unit: u32) -> BTreeSet<String> {
    let module = world.module(unit);
    let path = world.unit(unit).path;
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let svelte = ending == "svelte";
    let mut out = BTreeSet::new();
    if svelte || ending == "vue" {
        let declared = |stmt: &Stmt| {
            let StmtKind::Assign {
                target,
                value,
                declares,
                ..
            } = &stmt.kind
            else {
                return None;
            };
            let Pattern::Name(name) = target else { return None };
            let made = value.is_some_and(|value| match module.expr(value) {
                Expr::Call { callee, .. } => makes_a_state(module.expr(*callee)),
                _ => false,
            });
            (*declares != Declares::Nothing).then(|| (name.to_string(), made))
        };
        // In Svelte every variable at the top is one.
        if svelte {
            out.extend(module.body.iter().filter_map(declared).map(|(name, _)| name));
        }
        out.extend(
            world
                .index(unit)
                .stmts
                .iter()
                .filter_map(|info| declared(info.stmt))
                .filter(|(_, made)| *made)
                .map(|(name, _)| name),
        );
    }
    let angular = || {
        module.classes.iter().any(|class| {
            class.decorators.iter().any(|decorator| {
                matches!(module.expr(*decorator), Expr::Call { callee, .. }
                    if matches!(module.expr(*callee), Expr::Name(name) if &**name == "Component"))
            })
        })
    };
    if module.imports.iter().any(|import| &*import.module == "@angular/core") && angular() {
        out.insert("this".to_owned());
    }
    out
}

impl Screens {
    pub(super) fn new(world: &World<'_>) -> Self {
        let mut units = BTreeSet::new();
        let mut react = BTreeSet::new();
        let mut stores = BTreeSet::new();
        let mut states = BTreeMap::new();
        for unit in 0..id(world.units.len()) {
            for import in &world.module(unit).imports {
                if is_window(&import.module) {
                    units.insert(unit);
                }
                if matches!(&*import.module, "react" | "preact/hooks" | "solid-js") {
                    react.insert(unit);
                }
                if STORES.contains(&&*import.module) {
                    stores.insert(unit);
                }
            }
            if is_script(world.unit(unit).language) {
                let own = states_of(world, unit);
                if !own.is_empty() {
                    states.insert(unit, own);
                }
            }
        }
        Self {
            units,
            react,
            stores,
            states,
        }
    }

    /// Whether a call puts what it is given before a person.
    pub(super) fn shows(&self, world: &World<'_>, at: ExprRef) -> bool {
        let name = callee_name(world, at);
        let object = object_name(world, at);
        self.units.contains(&at.0) && puts(name, object)
            || is_pushed(world, at, name, object)
            || self.sets(world, at, name)
            || self.is_put_into_a_store(world, at)
            || self.is_put_into_a_state(world, at, name)
    }

    /// Whether a call puts what it is given into what the markup of its component shows: `messages.value.push(answer)`, `this.answer.set(text)`.
    fn is_put_into_a_state(&self, world: &World<'_>, at: ExprRef, name: &str) -> bool {
        let Some(states) = self.states.get(&at.0) else {
            return false;
        };
        let Expr::Call { args, .. } = world.expr(at) else {
            return false;
        };
        let puts = matches!(name, "push" | "unshift") || matches!(name, "set" | "update") && args.len() == 1;
        puts && states.contains(super::root_name(world, at)) && world.callees(at).is_empty()
    }

    /// Whether what is assigned to is shown by the markup of its component: `answer.value = …`, `this.answer = …`, `answer = …` of Svelte.
    fn is_state(&self, world: &World<'_>, unit: u32, target: &Pattern) -> bool {
        /// Members and keys between a state and what is put into it.
        const STEPS_MAX: usize = 8;
        let Some(states) = self.states.get(&unit) else {
            return false;
        };
        match target {
            Pattern::Name(name) => states.contains(&**name) && world.unit(unit).path.ends_with(".svelte"),
            Pattern::Place(place) => {
                let mut at = *place;
                for _ in 0..STEPS_MAX {
                    match world.module(unit).expr(at) {
                        Expr::Member { object, .. } | Expr::Index { object, .. } => at = *object,
                        Expr::Name(name) => return states.contains(&**name),
                        _ => return false,
                    }
                }
                false
            }
            _ => false,
        }
    }

    /// Whether a call puts what it is given into a store that the components of a page show: `set({ messages })`, `dispatch(add(answer))`.
    pub(super) fn is_put_into_a_store(&self, world: &World<'_>, at: ExprRef) -> bool {
        if !self.stores.contains(&at.0) {
            return false;
        }
        let Expr::Call { callee, .. } = world.expr(at) else {
            return false;
        };
        match world.module(at.0).expr(*callee) {
            // What the library hands to the function that makes a store, or a hook gives.
            Expr::Name(name) => matches!(&**name, "set" | "dispatch") && world.callees(at).is_empty(),
            Expr::Member { name, .. } => matches!(&**name, "setState" | "dispatch"),
            _ => false,
        }
    }

    /// The values that are written into windows and pages in a file, with the places.
    pub(super) fn written(&self, world: &World<'_>, unit: u32) -> Vec<(ExprRef, ExprRef)> {
        let language = world.unit(unit).language;
        let window = self.units.contains(&unit)
            && matches!(
                language,
                Language::Kotlin | Language::Java | Language::CSharp | Language::Python
            );
        let script = is_script(language);
        if !window && !script {
            return Vec::new();
        }
        let module = world.module(unit);
        let index = world.index(unit);
        let shown = |target: &Pattern| {
            let Pattern::Place(place) = target else { return None };
            let Expr::Member { name, .. } = module.expr(*place) else {
                return None;
            };
            (script && ELEMENTS.contains(&&**name) || window && MEMBERS.contains(&&**name)).then_some(*place)
        };
        let at = |id: ExprId| ExprRef(unit, id);
        let mut out = Vec::new();
        for info in &index.stmts {
            if let StmtKind::Assign {
                target,
                value: Some(value),
                ..
            } = &info.stmt.kind
                && let Some(place) = shown(target).or_else(|| self.is_state(world, unit, target).then_some(*value))
            {
                out.push((at(place), at(*value)));
            }
        }
        for (expr, node) in module.exprs.iter().enumerate() {
            if let Expr::Assign { target, value } = &node.kind
                && index.expr_scope[expr] != crate::index::NONE
                && let Some(place) = shown(target).or_else(|| self.is_state(world, unit, target).then_some(*value))
            {
                out.push((at(place), at(*value)));
            }
        }
        out
    }

    /// A setter of a component's state that is handed to it or taken out of a store: `setMessages([...messages, answer])`.
    fn sets(&self, world: &World<'_>, at: ExprRef, name: &str) -> bool {
        let Expr::Call { callee, .. } = world.expr(at) else {
            return false;
        };
        let rest = name.strip_prefix("set").unwrap_or("");
        rest.starts_with(|c: char| c.is_ascii_uppercase())
            && !matches!(rest, "Timeout" | "Interval" | "Immediate" | "Item")
            && matches!(world.module(at.0).expr(*callee), Expr::Name(_))
            && (self.react.contains(&at.0) || crate::flow::has_elements(world, at.0))
            && world.callees(at).is_empty()
    }
}

pub(super) fn is_window(module: &str) -> bool {
    WINDOWS.iter().any(|window| {
        module
            .strip_prefix(window)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':']))
    })
}

fn puts(name: &str, object: &str) -> bool {
    PUTS.contains(&name) || ADDS.contains(&name) && words_of(object).iter().any(|word| HOLDERS.contains(&word.as_str()))
}

/// Whether a call sends to whoever holds a connection open: a socket, a hub, a window of a shell around a page.
fn is_pushed(world: &World<'_>, at: ExprRef, name: &str, object: &str) -> bool {
    let lower = object.to_ascii_lowercase();
    let socket = lower == "ws"
        || lower.contains("websocket")
        || lower.contains("socket")
        || lower.starts_with("ws_")
        || lower.ends_with("_ws");
    match name {
        "send_text"
        | "send_json"
        | "send_bytes"
        | "sendText"
        | "convertAndSend"
        | "convertAndSendToUser"
        | "insertAdjacentHTML" => true,
        "send" | "sendJSON" | "write" => socket,
        "emit" => {
            socket
                || matches!(
                    lower.as_str(),
                    "io" | "sio" | "server" | "window" | "app" | "app_handle" | "handle" | "nsp" | "webcontents"
                )
                || object.is_empty()
                    && world
                        .module(at.0)
                        .imports
                        .iter()
                        .any(|import| &*import.module == "flask_socketio")
        }
        "WriteMessage" | "WriteJSON" => lower.contains("conn") || socket || lower == "c",
        "SendAsync" => matches!(
            lower.as_str(),
            "caller" | "all" | "client" | "group" | "user" | "clients" | "others"
        ),
        _ => false,
    }
}

/// Whether a page shows the turns of somebody who writes there, and not only what programs say to each other: it has a field for them, or
/// draws what a person or somebody of any role said.
pub(super) fn is_of_a_talk(world: &World<'_>, at: ExprRef) -> bool {
    let named = crate::capabilities::below(world, at, 40)
        .into_iter()
        .any(|part| match world.module(at.0).expr(part) {
            Expr::Str(text) => matches!(&**text, "user" | "human" | "role" | "You" | "User" | "Human"),
            Expr::Member { name, .. } | Expr::Name(name) => {
                let lower = name.to_ascii_lowercase();
                matches!(lower.as_str(), "role" | "sender" | "author" | "user" | "type")
            }
            _ => false,
        });
    named
        || world
            .index(at.0)
            .calls
            .iter()
            .any(|call| callee_name(world, ExprRef(at.0, *call)) == "chat_input")
}
