// Each way in which a page gets no microphone, as the browser says it and as the person reads it.
import { afterEach, expect, test, vi } from 'vitest'
import { openMicrophone } from './microphone.ts'
import type { MicrophoneProblem } from './microphone-error.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

interface PageGlobals {
  readonly isSecureContext?: boolean
  readonly hasWorklets?: boolean
  /** The name of the browser's error; absent = the page has no devices. */
  readonly failure?: string
}

const open = ({ isSecureContext = true, hasWorklets = true, failure }: PageGlobals) => {
  vi.stubGlobal('isSecureContext', isSecureContext)
  vi.stubGlobal('AudioWorkletNode', hasWorklets ? class {} : undefined)
  const getUserMedia = async () => {
    throw new DOMException('As the browser says it.', failure)
  }
  vi.stubGlobal('navigator', failure === undefined ? {} : { mediaDevices: { getUserMedia } })
  return openMicrophone({ worklet: '/worklet.js', onAudio: () => {} })
}

test.each<[string, PageGlobals, MicrophoneProblem, RegExp]>([
  ['the person refuses', { failure: 'NotAllowedError' }, 'denied', /Allow it/],
  ['there is none', { failure: 'NotFoundError' }, 'missing', /Connect one/],
  ['another program has it', { failure: 'NotReadableError' }, 'in_use', /Close it/],
  ['the page is insecure', { isSecureContext: false, failure: 'NotAllowedError' }, 'insecure', /over https/],
  ['the browser has no devices', {}, 'unsupported', /current version/],
  ['the browser has no worklet', { hasWorklets: false, failure: 'AbortError' }, 'unsupported', /current version/],
])('[V84] %s', async (_name, globals, code, advice) => {
  await expect(open(globals)).rejects.toMatchObject({ code, message: expect.stringMatching(advice) })
})
