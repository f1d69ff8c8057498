// The two sessions in numbers, from the event on that they last share.
import { costText, countText, durationText, plural } from 'bridle/words'
import { visibleText } from '../../../ui/plain-text.ts'
import type { ComparedSide } from './comparison.ts'
import type { ComparedPair, ComparedSession } from './use-comparison.ts'

/** Files that are listed by name. */
const FILES_LISTED_MAX = 40

type Measure = readonly [name: string, text: (side: ComparedSide, session: ComparedSession) => string]

const measures: readonly Measure[] = [
  ['Cost', ({ sums: { costUsd } }) => (costUsd === null ? 'unknown' : costText(costUsd))],
  ['Tokens', ({ sums: { tokens } }) => countText(tokens)],
  ['Time with calls', ({ sums: { callMs } }) => durationText(callMs)],
  ['Time of turns', ({ turns }) => durationText(turns.reduce((sum, { ms }) => sum + ms, 0))],
  ['Calls', ({ sums: { calls } }) => countText(calls)],
  ['Failed calls', ({ sums: { failedCalls } }) => countText(failedCalls)],
  ['Health', (_side, { detail }) => String(detail.health.score)],
  ['Approvals', ({ approvals }) => approvalText(approvals)],
  ['Model', (_side, { detail }) => (detail.model ? visibleText(detail.model) : 'unknown')],
  ['Files', (_side, { files }) => (files.length === 0 ? 'none' : String(files.length))],
  ['Result', ({ turns }) => resultText(turns.at(-1)?.status)],
]

const approvalText = ({ open, given, denied }: ComparedSide['approvals']): string =>
  [open > 0 && `${open} open`, given > 0 && `${given} given`, denied > 0 && `${denied} denied`]
    .filter(Boolean)
    .join(', ') || 'none'

const resultText = (status: string | null | undefined): string =>
  status === undefined ? 'none' : status === null ? 'none yet' : status

export const CompareNumbers = ({ pair }: { readonly pair: ComparedPair }) => {
  const { a, b } = pair.sessions
  return (
    <table className="facts" aria-label="In numbers">
      <thead>
        <tr>
          <th scope="col">
            <span className="vh">Measure</span>
          </th>
          <th scope="col">A</th>
          <th scope="col">B</th>
        </tr>
      </thead>
      <tbody>
        {measures.map(([name, text]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{text(pair.a, a)}</td>
            <td>{text(pair.b, b)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The files of both, by name: each with the letters of the sessions that have it. */
export const CompareFiles = ({ pair: { sessions } }: { readonly pair: ComparedPair }) => {
  const [inA, inB] = [new Set(sessions.a.files), new Set(sessions.b.files)]
  const names = [...new Set([...inA, ...inB])].toSorted()
  if (names.length === 0) return null
  return (
    <section aria-label="Files">
      <h3 className="h3">Changed files and artifacts</h3>
      <ul className="cmp-files">
        {names.slice(0, FILES_LISTED_MAX).map((name) => (
          <li key={name} className="row">
            <span className="mono trunc">{visibleText(name)}</span>
            <span className="right t3">{inA.has(name) && inB.has(name) ? 'A, B' : inA.has(name) ? 'A' : 'B'}</span>
          </li>
        ))}
      </ul>
      {names.length > FILES_LISTED_MAX && (
        <p className="small t3">{plural(names.length - FILES_LISTED_MAX, 'more file')}</p>
      )}
    </section>
  )
}
