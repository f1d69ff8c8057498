// The thoughts of a model: a dim line of their beginning, or all of them.

import { cutToColumns } from '../../terminal/display-width.ts'
import { escapeControls } from '../../terminal/output.ts'
import type { Paint } from '../markdown/wrap.ts'
import { wrapSpans } from '../markdown/wrap.ts'

export const thoughtRows = (
  text: string,
  { paint, showsThinking }: { readonly paint: Paint; readonly showsThinking: () => boolean },
  columns: number,
): string[] => {
  const shown = escapeControls(text.trim())
  if (shown === '') return []
  const dim = (row: string) => paint.style(['dim', 'italic'], row)
  if (!showsThinking()) return [dim(`✻ ${cutToColumns(shown.replace(/\s+/g, ' '), columns - 2)}`)]
  const rows = shown
    .split(/\r?\n/)
    .flatMap((line) =>
      wrapSpans(line, [{ start: 0, end: line.length, styles: [] }], { first: '', rest: '' }, columns - 2, paint),
    )
  return rows.map(({ text: row }, at) => dim(`${at === 0 ? '✻' : ' '} ${row}`))
}
