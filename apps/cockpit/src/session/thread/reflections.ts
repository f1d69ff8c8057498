// The message has thoughts and reflections in one text; the events name the reflections.

export interface ThoughtPiece {
  readonly kind: 'thought' | 'reflection'
  readonly text: string
}

export const splitReflections = (text: string, reflections: readonly string[]): readonly ThoughtPiece[] => {
  const pieces: ThoughtPiece[] = []
  let from = 0
  for (const reflection of reflections) {
    const at = reflection === '' ? -1 : text.indexOf(reflection, from)
    if (at < 0) continue
    if (at > from) pieces.push({ kind: 'thought', text: text.slice(from, at) })
    pieces.push({ kind: 'reflection', text: reflection })
    from = at + reflection.length
  }
  if (from < text.length) pieces.push({ kind: 'thought', text: text.slice(from) })
  return pieces
}
