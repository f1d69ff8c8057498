// Globs: `*` stands for any characters, everything else for itself. A text is read once, from left to right: no pattern makes it slow.

export const matchesGlob = (glob: string, text: string): boolean => {
  const [first = '', ...rest] = glob.split('*')
  if (rest.length === 0) return text === glob
  const last = rest.pop() ?? ''
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  // The earliest place of each piece leaves the most room for those behind it.
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
