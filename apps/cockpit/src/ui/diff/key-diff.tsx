// Two JSON objects by key: lines where a text changed, the two values where anything else did.
import { useMemo } from 'react'
import { exactJson, exactText } from '../exact-text.ts'
import { compareKeys, type KeyChange } from './key-changes.ts'
import { LineDiff } from './line-diff.tsx'

interface KeyDiffProps {
  readonly before: unknown
  readonly after: unknown
  readonly look?: 'yours'
}

export const KeyDiff = ({ before, after, look }: KeyDiffProps) => {
  const changes = useMemo(() => compareKeys(before, after), [before, after])
  if (changes.length === 0) return <p className="small t3">Nothing is changed.</p>
  return changes.map((change) => (
    <LineDiff
      key={change.path}
      before={sideText(change, 'before')}
      after={sideText(change, 'after')}
      label={`${exactText(change.path)}${change.kind === 'changed' ? '' : ` (${change.kind})`}`}
      {...(look && { look })}
    />
  ))
}

/** A text is compared as text where both sides are one: its line ends are no escapes then. */
const sideText = (change: KeyChange, side: 'before' | 'after'): string => {
  if (!Object.hasOwn(change, side)) return ''
  const value = change[side]
  const other = side === 'before' ? change.after : change.before
  return typeof value === 'string' && (typeof other === 'string' || change.kind !== 'changed')
    ? value
    : exactJson(value)
}
