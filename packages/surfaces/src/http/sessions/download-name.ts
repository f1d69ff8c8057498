// The agent chooses an artifact's name, so it must not mislead the person who saves it.

/** Hidden characters, bidirectional overrides (`exe.txt` for `txt.exe`) and line ends. Emoji keep their joiner. */
const UNSEEN =
  /(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Path separators, and characters that Windows forbids. */
const PATH = /[/\\:*?"<>|]/g

export const downloadDisposition = (name: string): string => {
  const shown = name
    .toWellFormed()
    .replace(UNSEEN, '')
    .replace(PATH, '_')
    .replace(/^[. ]+/, '')
  // RFC 8187 also requires escaping ' ( ) *, which encodeURIComponent does not.
  const encoded = encodeURIComponent(shown || 'artifact').replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename*=UTF-8''${encoded}`
}
