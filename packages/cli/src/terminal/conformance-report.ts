import { type CaseResult, SESSION_PREFIX } from '@bridle/conformance/server-run'
import { type CliOutput, escapeControls } from './output.ts'

export interface ConformanceReport {
  readonly begin: (url: string, count: number) => void
  readonly add: (result: CaseResult) => void
  readonly end: (results: readonly CaseResult[]) => void
}

export const conformanceReport = (out: CliOutput): ConformanceReport => (out.isJson ? rows(out) : text(out))

const rows = (out: CliOutput): ConformanceReport => ({
  begin: () => {},
  add: (result) => out.row({ type: 'exchange', ...rowOf(result) }),
  end: (results) =>
    out.row({ type: 'summary', ...totals(results), removed: removedOf(results), left: leftOf(results) }),
})

const rowOf = (result: CaseResult) => {
  const { page, rule, name, outcome } = result
  const shared = { document: page.document, rule, name, outcome }
  if (result.outcome === 'skipped') return { ...shared, reason: result.reason }
  if (result.outcome === 'passed') return shared
  const { step, action, at, expected, actual } = result.failure
  return { ...shared, step, action, at, expected, actual }
}

const text = (out: CliOutput): ConformanceReport => {
  let pending: CaseResult[] = []
  const flush = () => {
    const [first] = pending
    if (first) printPage(out, first.page.title, first.page.document, pending)
    pending = []
  }
  return {
    begin: (url, count) => {
      out.line(
        `${count} exchanges against ${url}. Sessions that begin with ${SESSION_PREFIX} are made, and removed again;`,
      )
      out.line('those that the server names itself are removed too. Nothing else is changed.')
    },
    add: (result) => {
      if (pending[0] && pending[0].page !== result.page) flush()
      pending.push(result)
    },
    end: (results) => {
      flush()
      const left = leftOf(results)
      out.line('')
      out.line(`${inWords(totals(results))}; ${removedOf(results)} sessions removed`)
      if (left.length > 0) out.line(`The server did not remove ${left.join(', ')}.`)
    },
  }
}

const printPage = (out: CliOutput, title: string, document: string, results: readonly CaseResult[]): void => {
  out.line('')
  out.line(`${out.style('bold', title)} (${document}): ${inWords(totals(results))}`)
  for (const result of results) {
    if (result.outcome === 'passed') continue
    const colour = result.outcome === 'failed' ? 'red' : 'dim'
    out.line(`  ${out.style(colour, result.outcome.padEnd(7))}  ${result.name}`)
    if (result.outcome === 'skipped') out.line(`           ${result.reason}`)
    else {
      const { step, action, at, expected, actual } = result.failure
      out.line(`           step ${step}, ${escapeControls(action)}: ${at}`)
      out.line(`             expected  ${escapeControls(expected)}`)
      out.line(`             actual    ${escapeControls(actual)}`)
    }
  }
}

const totals = (results: readonly CaseResult[]) => {
  const count = (outcome: CaseResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}

const inWords = ({ passed, failed, skipped }: ReturnType<typeof totals>): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`

const removedOf = (results: readonly CaseResult[]): number => results.reduce((sum, { removed }) => sum + removed, 0)
const leftOf = (results: readonly CaseResult[]): string[] => [...new Set(results.flatMap(({ left }) => left))]
