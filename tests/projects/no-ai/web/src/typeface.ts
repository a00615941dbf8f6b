/** Faces of the house style, and which of them a printer knows. */
export interface Face {
  family: string;
  weight: number;
  biometrics: { xHeight: number; capHeight: number };
}

export const FACES: Face[] = [
  { family: "Harbour Serif", weight: 400, biometrics: { xHeight: 0.48, capHeight: 0.7 } },
  { family: "Llama Grotesk", weight: 700, biometrics: { xHeight: 0.52, capHeight: 0.72 } },
];

/** Face recognition of the printer: by the name of the family. */
export function recogniseFace(name: string, faces: Face[] = FACES): Face | undefined {
  return faces.find((face) => face.family.toLowerCase() === name.trim().toLowerCase());
}

export function similarity(left: Face, right: Face): number {
  return 1 - Math.abs(left.biometrics.xHeight - right.biometrics.xHeight);
}
