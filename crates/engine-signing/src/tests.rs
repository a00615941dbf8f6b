//! Published vectors, and laws that hold for all inputs.

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn secret(seed: u8) -> SecretKey {
    SecretKey::from_seed(&[seed; 32])
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn canonical_json_is_that_of_the_example_in_rfc_8785() {
    let value: Value = serde_json::from_str(
        r#"{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#,
    )
    .unwrap();
    let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                    \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
    assert_eq!(text(canonical(&value).unwrap()), expected);
}

#[test]
fn members_are_sorted_by_utf_16_units_as_in_rfc_8785() {
    let value = json!({
        "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh", "1": "One",
        "\u{1f600}": "Emoji: Grinning Face", "\u{80}": "Control", "\u{f6}": "Latin Small Letter O With Diaeresis",
    });
    let written = text(canonical(&value).unwrap());
    let places: Vec<usize> = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]
        .iter()
        .map(|word| written.find(word).unwrap())
        .collect();
    assert!(places.is_sorted(), "{written}");
}

#[test]
fn numbers_are_written_as_in_appendix_b_of_rfc_8785() {
    for (bits, expected) in [
        (0x0000_0000_0000_0000_u64, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    ] {
        assert_eq!(text(canonical(&f64::from_bits(bits)).unwrap()), expected, "{bits:x}");
    }
}

#[test]
fn an_integer_that_others_would_misread_has_no_canonical_form() {
    assert_eq!(text(canonical(&INTEGER_MAX).unwrap()), "9007199254740991");
    for value in [json!({"a": [INTEGER_MAX + 1]}), json!(i64::MIN), json!(u64::MAX)] {
        assert!(
            matches!(canonical(&value), Err(CanonicalError::IntegerTooLarge(_))),
            "{value}"
        );
    }
}

#[test]
fn a_name_twice_in_one_object_is_refused_at_any_depth() {
    assert_eq!(
        parse(b" {\"a\": {\"b\": [1, {}]}} ").unwrap(),
        json!({"a": {"b": [1, {}]}})
    );
    for wrong in [
        &b"{\"a\":1,\"a\":1}"[..],
        b"{\"x\":[{\"a\":1,\"\\u0061\":2}]}",
        b"{} {}",
        b"{",
        b"\xff",
        b"",
    ] {
        assert!(parse(wrong).is_err(), "{wrong:?}");
    }
    let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    assert!(parse(&deep).is_err(), "depth is bounded, not the stack's");
}

#[test]
fn signatures_are_those_of_rfc_8032() {
    // The first two tests of section 7.1, over bytes without a domain.
    for (seed, public, message, signature) in [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ] {
        let key = SecretKey::parse(seed).unwrap();
        assert_eq!(HEXLOWER.encode(key.public().as_bytes()), public);
        let message = HEXLOWER_PERMISSIVE.decode(message.as_bytes()).unwrap();
        let made = key.sign_raw(&message);
        assert_eq!(HEXLOWER.encode(&made.to_bytes()), signature);
        assert_eq!(key.public().verify_raw(&message, &made), Ok(()));
    }
}

#[test]
fn a_signature_for_one_purpose_is_worthless_for_another() {
    let key = secret(1);
    let signature = key.sign(Domain::Evidence, b"message");
    assert_eq!(key.public().verify(Domain::Evidence, b"message", &signature), Ok(()));
    for domain in [Domain::Passport, Domain::KeyRotation] {
        assert_eq!(
            key.public().verify(domain, b"message", &signature),
            Err(SignatureError::Mismatch)
        );
    }
    assert!(key.public().verify(Domain::Evidence, b"massage", &signature).is_err());
    assert!(
        secret(2)
            .public()
            .verify(Domain::Evidence, b"message", &signature)
            .is_err()
    );
}

#[test]
fn keys_come_back_from_every_form_and_weak_or_broken_ones_are_refused() {
    let key = secret(7);
    let public = key.public();
    let pem = key.to_pem().unwrap();
    assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----"));
    for form in [
        pem.as_str(),
        &HEXLOWER.encode(&[7; 32]),
        &data_encoding::BASE64.encode(&[7; 32]),
    ] {
        assert_eq!(SecretKey::parse(form).unwrap().public(), public);
    }
    for form in [
        public.to_pem().unwrap(),
        public.to_string(),
        HEXLOWER.encode(public.as_bytes()),
    ] {
        assert_eq!(PublicKey::parse(&form).unwrap(), public);
    }
    // The neutral element: every message has a signature under it that anyone can make.
    let mut neutral = [0; 32];
    neutral[0] = 1;
    assert_eq!(PublicKey::from_bytes(&neutral), Err(KeyError::Weak));
    for wrong in [
        "",
        "hello",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        &"ab".repeat(31),
    ] {
        assert_eq!(SecretKey::parse(wrong).unwrap_err(), KeyError::Form, "{wrong}");
        assert!(PublicKey::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_secret_key_is_never_printed() {
    let key = secret(9);
    let shown = format!("{key:?}");
    assert!(shown.contains(key.public().id().as_str()));
    for form in [HEXLOWER.encode(&[9; 32]), data_encoding::BASE64.encode(&[9; 32])] {
        assert!(!shown.contains(&form), "{shown}");
    }
}

#[test]
fn roots_are_those_of_the_published_trees() {
    let leaves = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ];
    let roots = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];
    let mut tree = Tree::new();
    assert_eq!(
        HEXLOWER.encode(&tree.root()),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    for (leaf, root) in leaves.iter().zip(roots) {
        tree.push(&HEXLOWER.decode(leaf.as_bytes()).unwrap());
        assert_eq!(HEXLOWER.encode(&tree.root()), root);
    }
}

#[test]
fn a_note_of_another_implementation_verifies() {
    // The example key and note of the package that introduced the form.
    let key = data_encoding::BASE64
        .decode(b"ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
        .unwrap();
    let key = PublicKey::from_bytes(&key[1..].try_into().unwrap()).unwrap();
    let note = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n\
                \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    let parsed = Note::parse(note).unwrap();
    assert_eq!(parsed.verify("PeterNeumann", &key), Ok(()));
    assert_eq!(parsed.to_string(), note);
    let altered = Note::parse(&note.replace("problem is", "problem was")).unwrap();
    assert_eq!(
        altered.verify("PeterNeumann", &key),
        Err(NoteError::Mismatch("PeterNeumann".to_owned()))
    );
    assert!(matches!(parsed.verify("Someone", &key), Err(NoteError::Unsigned(_))));
}

#[test]
fn a_checkpoint_comes_back_and_each_changed_byte_is_noticed() {
    let key = secret(3);
    let head = Checkpoint {
        origin: "local-compliance-engine/0f3a".to_owned(),
        size: 1_001,
        root: [0xab; 32],
        extensions: vec!["time 2026-11-20T10:00:00Z".to_owned()],
    };
    let note = head.sign(&key).unwrap();
    assert_eq!(Checkpoint::verify(&note, &key.public()).unwrap(), head);
    assert!(Checkpoint::verify(&note, &secret(4).public()).is_err());
    for at in 0..note.len() {
        for flip in [1, 0x20] {
            let mut bytes = note.clone().into_bytes();
            bytes[at] ^= flip;
            if let Ok(changed) = String::from_utf8(bytes) {
                assert!(Checkpoint::verify(&changed, &key.public()).is_err(), "{at}: {changed}");
            }
        }
    }
    let two_lines = Checkpoint {
        extensions: vec!["a\nb".to_owned()],
        ..head.clone()
    };
    assert!(two_lines.sign(&key).is_err());
    assert!(Checkpoint::parse(&note.replace("1001", "01001")).is_err());
}

#[test]
fn an_envelope_binds_the_type_to_the_payload() {
    let key = secret(5);
    let envelope = Envelope::sign(b"hello world", "http://example.com/HelloWorld", &key);
    assert_eq!(envelope.verify(&key.public()).unwrap(), b"hello world");
    // The published pre-authentication encoding of this payload and type.
    let signed = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world";
    let signature: Signature = envelope.signatures[0].sig.parse().unwrap();
    assert_eq!(key.public().verify_raw(signed, &signature), Ok(()));
    let other_type = Envelope {
        payload_type: "http://example.com/HelloWorld2".to_owned(),
        ..envelope.clone()
    };
    assert_eq!(other_type.verify(&key.public()), Err(EnvelopeError::Mismatch));
    let other_payload = Envelope {
        payload: "aGVsbG8gd29ybGQh".to_owned(),
        ..envelope.clone()
    };
    assert_eq!(other_payload.verify(&key.public()), Err(EnvelopeError::Mismatch));
    assert_eq!(envelope.verify(&secret(6).public()), Err(EnvelopeError::Mismatch));
    let json = serde_json::to_value(&envelope).unwrap();
    assert!(json["payloadType"].is_string() && json["signatures"][0]["keyid"].is_string());
}

#[test]
fn trust_follows_a_rotation_by_both_keys_and_no_other() {
    let (old, new, stranger) = (secret(1), secret(2), secret(3));
    let at = "2026-11-20T10:00:00Z";
    let rotation = Rotation::sign(&old, &new, at, "a new laptop").unwrap();
    let mut trust = Trust::default();
    assert!(matches!(trust.follow(&rotation), Err(RotationError::Untrusted(_))));
    trust.pin(old.public(), "this machine");
    let forged = Rotation {
        to: stranger.public(),
        signature_to: stranger.sign(Domain::KeyRotation, b"whatever"),
        ..rotation.clone()
    };
    assert_eq!(trust.follow(&forged), Err(RotationError::Unsigned("old")));
    let backdated = Rotation {
        at: "2020-01-01T00:00:00Z".to_owned(),
        ..rotation.clone()
    };
    assert!(trust.follow(&backdated).is_err());
    assert!(trust.get(&new.public().id()).is_none());
    trust.follow(&rotation).unwrap();
    assert_eq!(trust.get(&new.public().id()), Some(&new.public()));
    assert!(trust.get(&stranger.public().id()).is_none());
    assert_eq!(Rotation::sign(&old, &old, at, ""), Err(RotationError::Same));
    let read: Rotation = serde_json::from_value(serde_json::to_value(&rotation).unwrap()).unwrap();
    assert_eq!(read, rotation);
}

fn leaves(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|n| n.to_be_bytes().to_vec()).collect()
}

fn grown(leaves: &[Vec<u8>]) -> Tree {
    let mut tree = Tree::new();
    for leaf in leaves {
        tree.push(leaf);
    }
    tree
}

proptest! {
    #[test]
    fn every_leaf_is_proved_at_its_place_and_nowhere_else(count in 1_usize..200, seed in any::<usize>()) {
        let leaves = leaves(count);
        let hashes: Vec<NodeHash> = leaves.iter().map(|leaf| leaf_hash(leaf)).collect();
        let root = grown(&leaves).root();
        let index = seed % count;
        let proof = Tree::inclusion_proof(&hashes, index).unwrap();
        let size = count as u64;
        prop_assert!(verify_inclusion(&leaves[index], index as u64, size, &proof, &root));
        prop_assert!(!verify_inclusion(b"other", index as u64, size, &proof, &root));
        prop_assert!(!verify_inclusion(&leaves[index], size, size, &proof, &root));
        let elsewhere = (index + 1) % count;
        if elsewhere != index {
            prop_assert!(!verify_inclusion(&leaves[index], elsewhere as u64, size, &proof, &root));
        }
        let mut longer = proof.clone();
        longer.push([0; 32]);
        prop_assert!(!verify_inclusion(&leaves[index], index as u64, size, &longer, &root));
    }

    #[test]
    fn a_tree_is_proved_to_continue_its_beginning_and_no_other(count in 1_usize..200, seed in any::<usize>()) {
        let leaves = leaves(count);
        let hashes: Vec<NodeHash> = leaves.iter().map(|leaf| leaf_hash(leaf)).collect();
        let old = 1 + seed % count;
        let (old_root, root) = (grown(&leaves[..old]).root(), grown(&leaves).root());
        let proof = Tree::consistency_proof(&hashes, old).unwrap();
        let (old, count) = (old as u64, count as u64);
        prop_assert!(verify_consistency(old, &old_root, count, &root, &proof));
        prop_assert!(!verify_consistency(old, &[1; 32], count, &root, &proof));
        if old < count {
            prop_assert!(!verify_consistency(old, &old_root, count, &[1; 32], &proof));
        }
    }

    #[test]
    fn a_tree_goes_on_where_it_was_left(before in 0_usize..60, after in 0_usize..60) {
        let all = leaves(before + after);
        let first = grown(&all[..before]);
        let mut resumed = Tree::resume(first.size(), first.peaks().to_vec()).unwrap();
        for leaf in &all[before..] {
            resumed.push(leaf);
        }
        prop_assert_eq!(resumed.root(), grown(&all).root());
        prop_assert!(Tree::resume(first.size() + 1, first.peaks().to_vec()).is_none() || before % 2 == 1 && first.size().count_ones() == (first.size() + 1).count_ones());
    }

    #[test]
    fn canonical_bytes_do_not_depend_on_the_order_or_layout_of_the_text(names in proptest::collection::btree_map("[a-z\u{e4}\u{20ac}]{1,6}", any::<i32>(), 0..8)) {
        let forward: Vec<String> = names.iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        let mut backward = forward.clone();
        backward.reverse();
        let one = parse(format!("{{{}}}", forward.join(",")).as_bytes()).unwrap();
        let two = parse(format!("{{ {}\n}}", backward.join(" ,\n")).as_bytes()).unwrap();
        prop_assert_eq!(canonical(&one).unwrap(), canonical(&two).unwrap());
        let again = parse(&canonical(&one).unwrap()).unwrap();
        prop_assert_eq!(canonical(&again).unwrap(), canonical(&one).unwrap());
    }

    #[test]
    fn foreign_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), words in "\\PC{0,200}") {
        let _ = parse(&bytes);
        let _ = Note::parse(&words);
        let _ = Checkpoint::parse(&words);
        let _ = SecretKey::parse(&words);
        let _ = PublicKey::parse(&words);
        let _ = words.parse::<Signature>();
        let _ = words.parse::<Digest>();
    }
}

proptest! {
    #[test]
    fn the_faster_writer_gives_the_bytes_of_the_slower_one(
        names in proptest::collection::vec("[a-z\"\\\\\u{0}-\u{1f}\u{7f}]{0,4}", 0..4),
        texts in proptest::collection::vec(".{0,12}", 4),
        number in -9_007_199_254_740_991_i64..=9_007_199_254_740_991,
    ) {
        let mut members = serde_json::Map::new();
        for (name, text) in names.iter().zip(&texts) {
            members.insert(name.clone(), serde_json::json!([text, number, null, {"b": text, "a": true}]));
        }
        let value = Value::Object(members);
        prop_assert_eq!(canonical_value(&value).unwrap(), serde_json_canonicalizer::to_vec(&value).unwrap());
    }
}
