//! The structure of the document: a tree of tags whose leaves are filled while pages are drawn.

use std::num::NonZeroU16;

use krilla::geom::Rect;
use krilla::tagging::{BBox, Identifier, ListNumbering, Node, TableHeaderScope, Tag, TagGroup, TagKind, TagTree};

use crate::flow::AnchorId;

/// A node of the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(usize);

impl NodeId {
    /// The document itself.
    pub(crate) const ROOT: Self = Self(0);
}

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Url(String),
    Anchor(AnchorId),
}

/// A link, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) target: Target,
    pub(crate) description: String,
}

/// Kind of a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Root,
    Title,
    Heading(u8, String),
    Paragraph,
    Div,
    List {
        ordered: bool,
    },
    /// Labels and values.
    Pairs,
    Item,
    Label,
    Body,
    Table,
    Caption,
    Head,
    Rows,
    Row,
    ColumnHeader,
    RowHeader,
    Data,
    Code,
    Strong,
    Figure(String),
    Contents,
    ContentsItem,
    Reference,
    Link(Link),
}

#[derive(Debug)]
enum Child {
    Node(NodeId),
    Leaf(Identifier),
}

#[derive(Debug)]
struct Entry {
    kind: Kind,
    parent: NodeId,
    attached: bool,
    children: Vec<Child>,
    place: Option<(usize, Rect)>,
}

/// All nodes. A node takes its place among the children of its parent when its first leaf is drawn,
/// so the order of the tree is the order of drawing.
#[derive(Debug)]
pub(crate) struct Tags {
    entries: Vec<Entry>,
}

impl Tags {
    pub(crate) fn new() -> Self {
        let root = Entry {
            kind: Kind::Root,
            parent: NodeId::ROOT,
            attached: true,
            children: Vec::new(),
            place: None,
        };
        Self { entries: vec![root] }
    }

    pub(crate) fn add(&mut self, parent: NodeId, kind: Kind) -> NodeId {
        let id = NodeId(self.entries.len());
        self.entries.push(Entry {
            kind,
            parent,
            attached: false,
            children: Vec::new(),
            place: None,
        });
        id
    }

    /// The link that a node is, if it is one.
    pub(crate) fn link(&self, id: NodeId) -> Option<&Link> {
        match self.entries.get(id.0).map(|entry| &entry.kind) {
            Some(Kind::Link(link)) => Some(link),
            _ => None,
        }
    }

    /// Page and place of a figure.
    pub(crate) fn place(&mut self, id: NodeId, page: usize, rect: Rect) {
        if let Some(entry) = self.entries.get_mut(id.0) {
            entry.place.get_or_insert((page, rect));
        }
    }

    /// Adds drawn content to a node.
    pub(crate) fn push(&mut self, id: NodeId, leaf: Identifier) {
        self.attach(id);
        if let Some(entry) = self.entries.get_mut(id.0) {
            entry.children.push(Child::Leaf(leaf));
        }
    }

    fn attach(&mut self, id: NodeId) {
        let Some(entry) = self.entries.get_mut(id.0) else {
            return;
        };
        if entry.attached {
            return;
        }
        entry.attached = true;
        let parent = entry.parent;
        self.attach(parent);
        if let Some(entry) = self.entries.get_mut(parent.0) {
            entry.children.push(Child::Node(id));
        }
    }

    /// The tree as the writer takes it.
    pub(crate) fn into_tree(mut self, language: &str) -> TagTree {
        let mut tree = TagTree::new().with_lang(Some(language.to_owned()));
        for node in self.children(NodeId::ROOT) {
            tree.push(node);
        }
        tree
    }

    fn children(&mut self, id: NodeId) -> Vec<Node> {
        let Some(entry) = self.entries.get_mut(id.0) else {
            return Vec::new();
        };
        let children = std::mem::take(&mut entry.children);
        children
            .into_iter()
            .map(|child| match child {
                Child::Leaf(leaf) => Node::Leaf(leaf),
                Child::Node(id) => {
                    let tag = self
                        .entries
                        .get(id.0)
                        .map_or_else(|| Tag::Div.into(), |entry| tag(&entry.kind, entry.place));
                    Node::Group(TagGroup::with_children(tag, self.children(id)))
                }
            })
            .collect()
    }
}

fn tag(kind: &Kind, place: Option<(usize, Rect)>) -> TagKind {
    match kind {
        Kind::Root | Kind::Div => Tag::Div.into(),
        Kind::Title => Tag::Title.into(),
        Kind::Heading(level, title) => {
            let level = NonZeroU16::new(u16::from(*level)).unwrap_or(NonZeroU16::MIN);
            Tag::Hn(level, Some(title.clone())).into()
        }
        Kind::Paragraph => Tag::P.into(),
        Kind::List { ordered: true } => Tag::L(ListNumbering::Decimal).into(),
        Kind::List { ordered: false } => Tag::L(ListNumbering::Disc).into(),
        Kind::Pairs => Tag::L(ListNumbering::None).into(),
        Kind::Item => Tag::LI.into(),
        Kind::Label => Tag::Lbl.into(),
        Kind::Body => Tag::LBody.into(),
        Kind::Table => Tag::Table.into(),
        Kind::Caption => Tag::Caption.into(),
        Kind::Head => Tag::THead.into(),
        Kind::Rows => Tag::TBody.into(),
        Kind::Row => Tag::TR.into(),
        Kind::ColumnHeader => Tag::TH(TableHeaderScope::Column).into(),
        Kind::RowHeader => Tag::TH(TableHeaderScope::Row).into(),
        Kind::Data => Tag::TD.into(),
        Kind::Code => Tag::Code.into(),
        Kind::Strong => Tag::Strong.into(),
        Kind::Figure(alt) => {
            let bbox = place.map(|(page, rect)| BBox::new(page, rect));
            Tag::Figure(Some(alt.clone())).with_bbox(bbox).into()
        }
        Kind::Contents => Tag::TOC.into(),
        Kind::ContentsItem => Tag::TOCI.into(),
        Kind::Reference => Tag::Reference.into(),
        Kind::Link(_) => Tag::Link.into(),
    }
}
