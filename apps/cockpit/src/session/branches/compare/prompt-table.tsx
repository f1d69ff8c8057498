// The turns of both sessions, prompt by prompt: what differs in answers, calls, cost and time.
import { costText, durationText, plural } from 'bridle/words'
import { visibleText } from '../../../ui/plain-text.ts'
import { foldScript } from '../../../ui/script-text.ts'
import { type Comparison, type PromptPair, promptPairs } from './comparison.ts'
import type { Turn } from './session-sums.ts'

export const PromptTable = ({ comparison }: { readonly comparison: Comparison }) => {
  const pairs = promptPairs(comparison)
  if (pairs.length === 0) return null
  return (
    <section aria-label="Prompt by prompt">
      <h3 className="h3">Prompt by prompt</h3>
      {pairs.map((pair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a place in both conversations is all that a pair is
        <table className="facts prompts" key={index}>
          <caption>
            <span className="trunc">
              {index + 1}. {promptText(pair)}
            </span>
            <span className={pair.isSameAnswer ? 'tag' : 'tag warn'}>{verdictText(pair)}</span>
          </caption>
          <thead className="vh">
            <tr>
              <th scope="col">Session</th>
              <th scope="col">Calls</th>
              <th scope="col">Cost</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            <TurnRow letter="A" turn={pair.a} />
            <TurnRow letter="B" turn={pair.b} />
          </tbody>
        </table>
      ))}
    </section>
  )
}

const TurnRow = ({ letter, turn }: { readonly letter: string; readonly turn: Turn | null }) => (
  <tr>
    <th scope="row">{letter}</th>
    {turn ? (
      <>
        <td>{plural(turn.calls, 'call')}</td>
        <td>{turn.costUsd === null ? 'unknown' : costText(turn.costUsd)}</td>
        <td>{durationText(turn.ms)}</td>
      </>
    ) : (
      <td colSpan={3}>not asked</td>
    )}
  </tr>
)

const promptText = ({ a, b, isSamePrompt }: PromptPair): string => {
  const [one, other] = [a, b].map((turn) => turn && visibleText(foldScript(turn.prompt)))
  if (isSamePrompt || !other) return `“${one ?? ''}”`
  return one ? `“${one}” / “${other}”` : `“${other}”`
}

const verdictText = ({ a, b, isSameAnswer }: PromptPair): string => {
  if (!a || !b) return 'one alone'
  if (a.status === null || b.status === null) return 'not answered yet'
  if (a.status !== b.status) return 'ends differently'
  return isSameAnswer ? 'same answer' : 'other answer'
}
