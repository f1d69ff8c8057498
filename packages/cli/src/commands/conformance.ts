import { STEP_TIMEOUT_MS } from '@bridle/conformance/limits'
import { type CaseResult, playCases, SESSION_PREFIX, selectCases } from '@bridle/conformance/server-run'
import { durationText } from '@bridle/words/index'
import { defineCommand, EXIT_CODES, failure, outputOptions, usageError } from '../command/command.ts'
import { checkedUrl, serverAddress } from '../config/settings.ts'
import { conformanceReport } from '../terminal/conformance-report.ts'

export const conformance = defineCommand({
  options: {
    token: { type: 'string', value: 'TOKEN', help: 'the token of the server; else FABRIC_HARNESS_API_TOKEN' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      help: `how long one step may take; ${STEP_TIMEOUT_MS / 1_000} unless given`,
    },
    only: { type: 'string', value: 'PREFIX', help: 'rules that begin with this: H, W1, T16' },
    ...outputOptions,
  },
  notes: `It makes sessions whose ids begin with ${SESSION_PREFIX}, and removes them. It changes nothing else.
Exchanges that need a server with other settings are skipped, with the reason. Exit code 1 when one failed.`,
  run: async ({ args, flags, env, out }) => {
    const url = checkedUrl(args[0] ?? '').replace(/\/+$/, '')
    const token = flags.token ?? (await serverAddress({ url }, env)).authToken
    const timeoutMs = timeoutOf(flags.timeout)
    const count = selectCases(flags.only).length
    if (count === 0) throw usageError(`No rule begins with "${flags.only}". Rules are called H1, F6, W4, T3.`)
    await checkServer(url, token, timeoutMs)
    const report = conformanceReport(out)
    report.begin(url, count)
    const results: CaseResult[] = []
    for await (const result of playCases({ url, token, only: flags.only, timeoutMs })) {
      results.push(result)
      report.add(result)
    }
    report.end(results)
    return results.some(({ outcome }) => outcome === 'failed') ? EXIT_CODES.failed : EXIT_CODES.ok
  },
})

const timeoutOf = (seconds: string | undefined): number => {
  const timeoutMs = seconds === undefined ? STEP_TIMEOUT_MS : Number(seconds) * 1_000
  if (!(timeoutMs > 0)) throw usageError(`--timeout ${seconds} is not a number of seconds.`)
  return timeoutMs
}

/** Exits with one line if there is no server, another program, or a refused token. Other problems show in the report. */
const checkServer = async (url: string, token: string | undefined, timeoutMs: number): Promise<void> => {
  const stop = (problem: string) => failure(`${url} ${problem}`)
  const headers: { [name: string]: string } = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(`${url}/sessions?limit=1`, { headers, signal, redirect: 'manual' }).catch(
    (error: Error) => {
      if (error.name === 'TimeoutError') throw stop(`does not answer within ${durationText(timeoutMs)}.`)
      throw stop('cannot be reached. Start the server first, and name the address that it prints.')
    },
  )
  await response.body?.cancel()
  // HTML means another program or a proxy without its server, so every exchange would fail.
  if (response.headers.get('content-type')?.startsWith('text/html'))
    throw stop(`is no Bridle server: it answers /sessions with a page, status ${response.status}.`)
  if (response.status !== 401) return
  throw stop(token === undefined ? 'asks for a token: name it with --token.' : 'refuses the token.')
}
