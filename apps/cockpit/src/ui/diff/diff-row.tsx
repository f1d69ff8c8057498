import { useState } from 'react'
import { exactText } from '../exact-text.ts'
import { bytesText } from '../numbers.ts'
import { SHOWN_LINE_CHARS } from './limits.ts'
import type { LineRow } from './line-rows.ts'

const signs = { same: '', add: '+', del: '−' } as const
const words = { same: '', add: 'added: ', del: 'removed: ' } as const

/** A line of a diff. */
export const DiffRow = ({ row, look }: { readonly row: LineRow; readonly look?: 'yours' }) => {
  const [isWhole, setWhole] = useState(false)
  const { kind, line, text, isUnended } = row
  const isCut = !isWhole && text.length > SHOWN_LINE_CHARS
  const tone = kind === 'add' && look === 'yours' ? 'yours' : kind === 'same' ? '' : kind
  return (
    <div className={`l ${tone}`}>
      <span aria-hidden="true">{line}</span>
      <span aria-hidden="true">{signs[kind]}</span>
      <span className="exact">
        {kind !== 'same' && <span className="vh">{words[kind]}</span>}
        {exactText(isCut ? text.slice(0, SHOWN_LINE_CHARS) : text)}
        {isUnended && <i className="t3"> no line end</i>}
        {isCut && (
          <button type="button" className="btn ghost copy" onClick={() => setWhole(true)}>
            Show all {bytesText(text.length)} of this line
          </button>
        )}
      </span>
    </div>
  )
}
