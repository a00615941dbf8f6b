//! Declares a closed list of names, each once, with what it says to a person.

/// Declares an enum whose variants have a name in templates and a text for people.
macro_rules! names {
    ($(#[$meta:meta])* $list:ident { $($(#[$doc:meta])* $variant:ident => $name:literal;)+ }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        pub enum $list {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)+
        }

        impl $list {
            /// Every name, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The name in templates.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The entry with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

pub(crate) use names;
