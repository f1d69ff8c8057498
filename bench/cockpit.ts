// The cockpit while an answer streams into a long conversation, beside assistant-ui as it comes, on the same session.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { fabricClient } from 'bridle/client'
import { HarnessServer } from 'bridle/node'
import { type Browser, chromium } from 'playwright-core'
import { build, defaultClientConditions } from 'vite'
import { findChromium } from '../scripts/needs.ts'
import { fillDebugSession, measureDebug } from './cockpit-debug.ts'
import { loadedBytes, measureUntil, openMeasured, waitForText } from './cockpit-page.ts'
import { type BenchFigure, type BenchVariant, figure, interleave } from './figure.ts'

const MESSAGES = 2_000
const DELTAS = 1_500
const EVERY_MS = 5
const SESSION = 'long'
const LONG_TASK_TARGET_MS = 1_000
const UPDATES_TARGET = 100
const FIRST_LOAD_TARGET = 160_000

export const cockpit = async (): Promise<BenchFigure[]> => {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('The benchmark needs Chromium: CHROMIUM names one.')
  const folder = mkdtempSync(join(tmpdir(), 'bridle-bench-cockpit-'))
  const app = join(folder, 'app')
  try {
    await buildCockpit(app)
    // The server has both pages: Chromium lets only a page that came from this machine connect to it.
    await buildStock(join(app, 'stock'))
    return await withServer(join(folder, 'data'), app, async (url) => {
      await fillSession(url)
      await fillDebugSession(url)
      return await withBrowser(executablePath, async (browser) => [
        ...(await measure(browser, url)),
        await measureDebug(browser, url),
      ])
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const withServer = async <T>(data: string, app: string, use: (url: string) => Promise<T>): Promise<T> => {
  const server = await HarnessServer.start({
    port: 0,
    data,
    cockpit: app,
    store: 'memory',
    // The bundler has set NODE_ENV, and a server in production keeps this agent private.
    env: {},
    // Every piece is a delta of its own.
    tokenPaceMs: 0,
    log: () => {},
  })
  try {
    return await use(server.url)
  } finally {
    await server.close()
  }
}

const withBrowser = async <T>(executablePath: string, use: (browser: Browser) => Promise<T>): Promise<T> => {
  const browser = await chromium.launch({ executablePath, args })
  try {
    return await use(browser)
  } finally {
    await browser.close()
  }
}

const measure = async (browser: Browser, url: string): Promise<BenchFigure[]> => {
  const updates: Record<string, number[]> = { cockpit: [], stock: [] }
  const variant = (name: string, path: string): BenchVariant => ({
    run: async () => {
      const measured = await openMeasured(browser, new URL(path, url).href)
      await waitForText(measured, lastEnd)
      const { text, end, play } = answer(url)
      const shown = await measureUntil(measured, play, end)
      lastEnd = end
      await measured.page.context().close()
      updates[name]?.push(shown.updates)
      return { value: shown.longTaskMs, verified: shown.text.replace(/\s+/g, '').includes(text.replace(/\s+/g, '')) }
    },
  })
  const rounds = await interleave({
    cockpit: variant('cockpit', `s/${SESSION}`),
    stock: variant('stock', `stock/index.html?session=${SESSION}`),
    limit: { run: async () => ({ value: LONG_TASK_TARGET_MS, verified: true }) },
  })
  const shown = {
    values: { ...updates, limit: (updates.cockpit ?? []).map(() => UPDATES_TARGET) },
    verified: { ...rounds.verified },
  }
  const first = await loadedBytes(browser, url, 'Sessions')
  const load = { values: { bytes: [first], limit: [FIRST_LOAD_TARGET] }, verified: { bytes: first > 0, limit: true } }
  return [
    figure(rounds, ['cockpit', 'limit'], {
      id: 'C1',
      what: `ms of long tasks, ${DELTAS} deltas at 200/s into ${MESSAGES} messages: cockpit / 1 s`,
      target: 1,
      better: 'lower',
    }),
    figure(rounds, ['cockpit', 'stock'], {
      id: 'C2',
      what: 'the same: cockpit / assistant-ui with all messages in its runtime',
      target: 0.2,
      better: 'lower',
    }),
    figure(shown, ['cockpit', 'limit'], {
      id: 'C3',
      what: 'updates shown meanwhile: cockpit / 100',
      target: 1,
      better: 'higher',
    }),
    figure(shown, ['cockpit', 'stock'], {
      id: 'C4',
      what: 'updates shown meanwhile: cockpit / assistant-ui with all messages in its runtime',
      target: 2,
      better: 'higher',
    }),
    figure(load, ['bytes', 'limit'], {
      id: 'C5',
      what: 'bytes of scripts and styles, gzip, of the first page: / 160 kB',
      target: 1,
      better: 'lower',
    }),
  ]
}

const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']

const buildCockpit = async (outDir: string): Promise<void> => {
  const configFile = fileURLToPath(new URL('../apps/cockpit/vite.config.ts', import.meta.url))
  await build({ configFile, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
}

const buildStock = async (outDir: string): Promise<void> => {
  await build({
    root: fileURLToPath(new URL('cockpit-stock', import.meta.url)),
    configFile: false,
    plugins: [react()],
    base: './',
    logLevel: 'error',
    resolve: { conditions: ['bridle-source', ...defaultClientConditions] },
    build: { outDir, emptyOutDir: true },
  })
}

const OLD_TEXT = 'The limit of attempts is set in one place'

/** Short answers with some markdown, by the scripted agent. */
const fillSession = async (url: string): Promise<void> => {
  const client = fabricClient({ url })
  const text = `${OLD_TEXT}, \`config/retry.yaml\`, and read by **two** callers:\n\n* charge\n* refund\n\nBoth follow the default.`
  const prompt = `@script ${JSON.stringify([{ text }])}`
  for (let turn = 0; turn < MESSAGES / 2; turn++) await client.invoke('scripted', SESSION, { prompt })
}

let lastAnswer = 0
/** The end of the conversation so far. */
let lastEnd = OLD_TEXT

/** An answer of paragraphs, as many pieces as asked for, with an end of its own. */
const answer = (url: string) => {
  lastAnswer += 1
  const end = `end-of-answer-${lastAnswer}`
  const words = Array.from({ length: DELTAS }, (_, at) => `w${at % 97}${at % 25 === 24 ? '.\n\n' : ' '}`)
  const text = words.join('')
  const prompt = `@script ${JSON.stringify([{ text, chunks: DELTAS, everyMs: EVERY_MS }, { text: `\n\n${end}` }])}`
  // The prompt is on the page too: its end is not that of the answer.
  const hidden = prompt.replace(end, `${end.slice(0, 3)}\\u002d${end.slice(4)}`)
  return {
    text,
    end,
    play: () => fabricClient({ url }).invoke('scripted', SESSION, { prompt: hidden }, { async: true }),
  }
}
