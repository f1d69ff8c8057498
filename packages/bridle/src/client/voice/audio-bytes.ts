// Audio as bytes and as base64, in browsers and in Node.

/** The bytes of any view of them. No copy is made. */
export const bytesOf = (audio: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> =>
  audio instanceof ArrayBuffer
    ? new Uint8Array(audio)
    : new Uint8Array(audio.buffer as ArrayBuffer, audio.byteOffset, audio.byteLength)

export const toBase64 = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Null = no base64. */
export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}
