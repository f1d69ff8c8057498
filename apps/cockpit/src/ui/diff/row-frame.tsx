import type { ReactNode } from 'react'
import type { LineRow } from './line-rows.ts'

const signs = { same: '', add: '+', del: '−' } as const
const words = { same: '', add: 'added: ', del: 'removed: ' } as const

interface RowFrameProps {
  readonly row: LineRow
  readonly look: 'yours' | undefined
  readonly children: ReactNode
}

/** The number and the sign of a row, around its text. */
export const RowFrame = ({ row: { kind, line }, look, children }: RowFrameProps) => {
  const tone = kind === 'add' && look === 'yours' ? 'yours' : kind === 'same' ? '' : kind
  return (
    <div className={`l ${tone}`}>
      <span aria-hidden="true">{line}</span>
      <span aria-hidden="true">{signs[kind]}</span>
      <span className="exact">
        {kind !== 'same' && <span className="vh">{words[kind]}</span>}
        {children}
      </span>
    </div>
  )
}
