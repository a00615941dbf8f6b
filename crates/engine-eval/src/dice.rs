//! Numbers that look random and follow from a seed, so that a run can be repeated to the letter.

use blake3::OutputReader;

/// A stream of numbers named by a seed and by what it is for.
#[derive(Debug)]
pub struct Dice(OutputReader);

impl Dice {
    /// The stream for a purpose. Streams of different purposes do not touch each other, so that one more throw for one
    /// thing changes nothing for another.
    pub fn new(seed: u64, purpose: &[&str]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("local compliance engine: choices of an evaluation");
        hasher.update(&seed.to_le_bytes());
        for part in purpose {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(hasher.finalize_xof())
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// A number below a limit; 0 where there is none below it.
    pub fn below(&mut self, limit: usize) -> usize {
        let wide = u128::from(self.number()) * (limit as u128);
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// A number from 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit exactly")]
    pub fn share(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Whether a coin shows heads.
    pub fn heads(&mut self) -> bool {
        self.number() & 1 == 1
    }

    /// One of several things.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// Puts things into another order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_purpose_give_the_same_numbers_and_others_do_not() {
        let throw = |seed, purpose: &[&str]| (0..8).map(|_| Dice::new(seed, purpose).number()).collect::<Vec<_>>();
        assert_eq!(throw(1, &["order"]), throw(1, &["order"]));
        assert_ne!(throw(1, &["order"]), throw(2, &["order"]));
        assert_ne!(throw(1, &["ab", "c"]), throw(1, &["a", "bc"]));
    }

    #[test]
    fn every_number_below_a_limit_comes_up_about_equally_often() {
        let mut dice = Dice::new(7, &["test"]);
        let mut seen = [0; 10];
        for _ in 0..10_000 {
            seen[dice.below(10)] += 1;
        }
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
        assert_eq!(dice.below(0), 0);
    }

    #[test]
    fn shuffling_loses_nothing() {
        let mut things: Vec<u32> = (0..100).collect();
        Dice::new(3, &["x"]).shuffle(&mut things);
        assert_ne!(things, (0..100).collect::<Vec<_>>());
        things.sort_unstable();
        assert_eq!(things, (0..100).collect::<Vec<_>>());
    }
}
