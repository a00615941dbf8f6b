import hash from "@emotion/hash";

/** Emotions that a customer can stick on the feedback card. The customer chooses; nothing is recognised. */
export const EMOTIONS = ["happy", "calm", "angry", "gemini", "llama"] as const;
export type Emotion = (typeof EMOTIONS)[number];

export interface Sticker {
  id: string;
  emotion: Emotion;
  embedding: string;
}

/** The embedding is the HTML with which a sticker is embedded in the card. */
export function sticker(emotion: Emotion): Sticker {
  const id = `s-${hash(emotion)}`;
  return { id, emotion, embedding: `<img src="/stickers/${emotion}.svg" id="${id}" alt="${emotion}">` };
}

export function detectEmotion(card: Sticker[]): Emotion | undefined {
  return card[0]?.emotion;
}
