// The name under which a browser saves an artifact. An agent chooses the name of its artifact, and a file manager shows what a person will open.

/** Characters that nobody sees, that turn the order of the others (`exe.txt` for `txt.exe`), or that end a line. Emoji keep their joiner. */
const UNSEEN =
  /(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Parts of a path, and what Windows takes in no name. */
const PATH = /[/\\:*?"<>|]/g

/** `content-disposition` of a download. */
export const downloadDisposition = (name: string): string => {
  const shown = name
    .toWellFormed()
    .replace(UNSEEN, '')
    .replace(PATH, '_')
    .replace(/^[. ]+/, '')
  // encodeURIComponent leaves ' ( ) * as they are, which RFC 8187 does not.
  const encoded = encodeURIComponent(shown || 'artifact').replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename*=UTF-8''${encoded}`
}
