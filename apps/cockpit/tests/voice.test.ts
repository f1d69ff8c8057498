// Speaking with a session in a real browser: its microphone plays a recorded voice, and the samples that it plays are compared.

import { type RealtimeStub, type StubTurn, startRealtimeStub } from '@bridle/voice/realtime/openai/realtime-stub.suite'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { needs } from '../../../scripts/needs.ts'
import { describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'
import { recordedMicrophone } from './microphone.suite.ts'

const microphone = recordedMicrophone('What time is it, and what day is it today?')
const isSkipped = microphone === null || needs('chromium') !== null

/** Audio of an answer: no sample is zero, so silence around it is none of it. */
const answerAudio = (ms: number): Buffer => {
  const audio = Buffer.alloc(ms * 48)
  for (let at = 0; at < audio.length / 2; at += 1) audio.writeInt16LE(1_000 + ((at * 37) % 20_000), at * 2)
  return audio
}

let turn: StubTurn = {}
let recorded: Buffer[] = []
const stub: RealtimeStub | null = isSkipped
  ? null
  : await startRealtimeStub({ plan: () => turn, onAudio: (audio) => recorded.push(Buffer.from(audio)) })

afterAll(async () => {
  await stub?.close()
})
beforeEach(() => {
  recorded = []
})

const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: stub?.url ?? '', NODE_ENV: 'test' }

describeCockpit(
  'voice',
  (world) => {
    const talkPage = async (id: string, options: BrowserContextOptions = {}) => {
      await world.client.createChat({ agent: 'voice', session_id: id, voice: { keep_audio: true } })
      const page = await world.open(`/s/${id}`, { permissions: ['microphone'], ...options })
      await page.getByRole('button', { name: 'Hold to talk' }).waitFor()
      return page
    }
    /** A page whose samples are kept. The policy of the cockpit forbids scripts of others, hence the tap, too. */
    const recordedPage = async (id: string) => {
      const page = await talkPage(id, { bypassCSP: true })
      await page.evaluate(RECORD)
      return page
    }

    test('[V81] [V82] [V83] held, the microphone is heard; the answer is played to the sample, captioned, and in the thread', async () => {
      const audio = answerAudio(900)
      turn = { heard: 'What time is it?', says: 'It is noon now.', audio, chunkBytes: audio.length / 4 }
      const page = await recordedPage('held')
      await hold(page)
      await phaseIs(page, 'Hearing you')
      await expect.poll(() => Buffer.concat(recorded).length).toBeGreaterThan(48_000)
      await page.mouse.up()
      const bar = page.getByRole('region', { name: 'Voice' })
      await bar.getByText('What time is it?').first().waitFor()
      await bar.getByText('It is noon now.').first().waitFor()
      await phaseIs(page, 'Hold the microphone to talk')
      // The words and the phase are read as two sentences, with no full stop after the one that was said.
      expect(await bar.getByRole('status').locator('p').allInnerTexts()).toEqual([
        'Agent: It is noon now.',
        'Hold the microphone to talk',
      ])
      await page.setViewportSize({ width: 1280, height: 800 })
      const cut = `[...document.querySelectorAll('.strip .trunc')]
        .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText)`
      expect(await page.evaluate(cut)).toEqual([])
      const thread = page.getByRole('log', { name: 'Conversation' })
      await thread.getByText('What time is it?', { exact: true }).waitFor()
      await thread.getByText('It is noon now.', { exact: true }).waitFor()
      expect(await played(page, audio.length / 2)).toEqual(samplesOf(audio))
      expect(isSpeech(Buffer.concat(recorded))).toBe(true)
      // The session asks for its audio, and a page plays it.
      const work = await world.open('/s/held?tab=work')
      await work.getByRole('button', { name: /^answer-.*\.wav/ }).click()
      await work.locator('audio').waitFor()
      const length = () => work.evaluate<number>("document.querySelector('audio').duration")
      await expect.poll(length).toBeCloseTo(0.9, 3)
      await work.close()
      await page.close()
    })

    longTest('[V82] an answer that is interrupted by key keeps what was heard', async () => {
      const audio = answerAudio(8_000)
      const says = 'One two three four five six seven eight nine ten.'
      turn = { heard: 'Count to ten.', says, audio, chunkBytes: audio.length / 10 }
      const page = await recordedPage('cut')
      const button = page.getByRole('button', { name: 'Hold to talk' })
      await button.focus()
      await page.keyboard.down('Space')
      await expect.poll(() => Buffer.concat(recorded).length).toBeGreaterThan(9_600)
      await page.keyboard.up('Space')
      await phaseIs(page, 'Speaking')
      await played(page, 24_000)
      await page.keyboard.press('Escape')
      await expect.poll(() => stub?.events('conversation.item.truncate').length).toBe(1)
      await phaseIs(page, 'Hold the microphone to talk')
      const heardMs = stub?.events('conversation.item.truncate')[0]?.audio_end_ms as number
      // Nothing is sent while the button is not held.
      const { length } = recorded
      const samples = await played(page, (heardMs - 1) * 24)
      expect(Math.round(samples.length / 24)).toBe(heardMs)
      expect(samples).toEqual(samplesOf(audio).slice(0, samples.length))
      expect(recorded.length).toBe(length)
      const thread = page.getByRole('log', { name: 'Conversation' })
      await thread.getByRole('article', { name: 'Answer' }).getByText(/^One/).waitFor()
      expect(await thread.getByText(says, { exact: true }).count()).toBe(0)
      await thread.getByText('A listener interrupted the answer: this is what was heard.').waitFor()
      await thread.getByRole('button', { name: /^Interrupted · after/ }).waitFor()
      expect(await thread.getByText(/Written again|superseded/).count()).toBe(0)
      await page.close()
    })

    longTest('[V82] while the agent speaks, only the button that silences it names the key Escape', async () => {
      const audio = answerAudio(8_000)
      // The answer goes on: the run can be stopped, too.
      const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
      turn = {
        ...{ heard: 'Count.', says: 'One two three four five.', audio, chunkBytes: audio.length / 5 },
        pause: { after: 4, until },
      }
      const page = await recordedPage('keys')
      await hold(page)
      await expect.poll(() => Buffer.concat(recorded).length).toBeGreaterThan(9_600)
      await page.mouse.up()
      await phaseIs(page, 'Speaking')
      const keyed = page.locator('.composer button').filter({ has: page.getByText('Esc', { exact: true }) })
      await page.getByRole('button', { name: /^Stop/ }).waitFor()
      expect(await keyed.allInnerTexts()).toEqual([expect.stringMatching(/^Silence/)])
      await page.keyboard.press('Escape')
      await phaseIs(page, 'Hold the microphone to talk')
      goOn()
      await page.close()
    })

    longTest(
      '[V83] hands-free, on a phone: pauses end turns, captions come, and a lost server is found again',
      async () => {
        const audio = answerAudio(300)
        turn = { heard: 'Which day is it?', says: 'It is Monday.', audio, chunkBytes: audio.length / 3 }
        const page = await talkPage('free', { viewport: { width: 390, height: 844 } })
        await hold(page)
        await phaseIs(page, 'Hearing you')
        await page.mouse.up()
        const bar = page.getByRole('region', { name: 'Voice' })
        await bar.getByRole('button', { name: 'Hands-free' }).click()
        await bar.getByText('It is Monday.').first().waitFor()
        await expectNoOverflow(page)
        expect(await bar.getByRole('status').innerText()).toContain('It is Monday.')
        const port = Number(new URL(world.url).port)
        await world.stopServer()
        await phaseIs(page, 'Reconnecting')
        await world.startServer(port)
        await page.locator('.voice-phase', { hasText: /Listening|Hearing you|Thinking|Speaking/ }).waitFor()
        await bar.getByRole('button', { name: 'End voice' }).click()
        await bar.waitFor({ state: 'detached' })
        await page.close()
      },
    )

    test('[V84] a refused microphone is a sentence that says what to do, and an agent without a voice has no button', async () => {
      const page = await talkPage('refused', { permissions: [] })
      await hold(page)
      await page.getByRole('alert').getByText('The microphone is blocked for this page.').waitFor()
      await page.mouse.up()
      await world.ask('scripted', 'mute', '@script [{"text":"Hello."}]')
      await page.goto(new URL('/s/mute', world.url).href)
      await page.getByText('Hello.', { exact: true }).waitFor()
      expect(await page.getByRole('button', { name: 'Hold to talk' }).count()).toBe(0)
      await page.close()
    })
  },
  { env },
  microphone ?? [],
)

const hold = async (page: Page): Promise<void> => {
  const { x, y, width, height } = (await page.getByRole('button', { name: 'Hold to talk' }).boundingBox())!
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
}

const phaseIs = (page: Page, words: string): Promise<void> => page.locator('.voice-phase', { hasText: words }).waitFor()

/** Keeps what goes to the speaker, on the audio's own thread: one on the page's thread misses samples when the page is busy. */
const TAP = `registerProcessor('tap', class extends AudioWorkletProcessor {
  process([[samples]]) {
    if (samples) this.port.postMessage(samples.slice())
    return true
  }
})`
const RECORD = `(() => {
  const { addModule } = AudioWorklet.prototype
  const { connect } = AudioNode.prototype
  globalThis.playedBlocks = []
  AudioWorklet.prototype.addModule = async function (...address) {
    await addModule.call(this, 'data:text/javascript,' + ${JSON.stringify(encodeURIComponent(TAP))})
    return addModule.apply(this, address)
  }
  AudioNode.prototype.connect = function (target, ...rest) {
    if (target instanceof AudioDestinationNode && this instanceof AudioWorkletNode) {
      const tap = new AudioWorkletNode(this.context, 'tap')
      tap.port.onmessage = ({ data }) => playedBlocks.push(...data)
      connect.call(this, tap)
      connect.call(tap, target)
    }
    return connect.call(this, target, ...rest)
  }
})()`

/** The samples that were played, as pcm16 and without silence. */
const played = async (page: Page, count: number): Promise<number[]> => {
  await expect
    .poll(() => page.evaluate<number>('playedBlocks.filter((sample) => sample !== 0).length'))
    .toBeGreaterThanOrEqual(count)
  return page.evaluate<number[]>(
    'playedBlocks.filter((sample) => sample !== 0).map((sample) => Math.round(sample * 32768))',
  )
}

const samplesOf = (audio: Buffer): number[] =>
  Array.from({ length: audio.length / 2 }, (_, at) => audio.readInt16LE(at * 2))

/** A voice has loud parts and pauses. */
const isSpeech = (audio: Buffer): boolean => {
  const samples = samplesOf(audio)
  const loudness = Array.from({ length: Math.floor(samples.length / 480) }, (_, at) =>
    Math.max(...samples.slice(at * 480, (at + 1) * 480).map(Math.abs)),
  )
  return Math.max(...loudness) > 2_000 && Math.min(...loudness) < 500
}
