// The name under which a browser saves an artifact. The agent chooses that name, so it must not mislead the person who opens the file.

/** Hidden characters, bidirectional overrides (`exe.txt` for `txt.exe`) and line ends. Emoji keep their joiner. */
const UNSEEN =
  /(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Path separators, and characters that Windows forbids in names. */
const PATH = /[/\\:*?"<>|]/g

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
