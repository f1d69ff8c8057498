import { type Loudspeaker, openLoudspeaker } from '../audio/loudspeaker.ts'
import { type Microphone, openMicrophone } from '../audio/microphone.ts'
import { toMicrophoneError } from '../audio/microphone-error.ts'
import { connectFabricVoice } from '../voice/fabric-voice.ts'
import type { FabricVoiceEvent, FabricVoiceHandle, FabricVoiceOptions } from '../voice/options.ts'
import {
  type DialogueEvent,
  type DialogueFacts,
  factsAfter,
  initialFacts,
  stateOf,
  type VoiceDialogueState,
} from './state.ts'

/** Options of `openVoiceDialogue`. */
export interface VoiceDialogueOptions
  extends Omit<FabricVoiceOptions, 'audioFormat' | 'turns' | 'encoding' | 'onEvent' | 'line'> {
  /** URL of `bridle/voice-worklet` on the page's own server. */
  readonly worklet: string | URL
  /** Start with an open microphone. Default: push to talk. */
  readonly isHandsFree?: boolean
}

/** A voice dialogue. It is a store for `useSyncExternalStore`. */
export interface VoiceDialogue {
  /** The current state. The same object until it changes. */
  readonly getSnapshot: () => VoiceDialogueState
  /** Calls the listener on every change. Returns an unsubscribe function. */
  readonly subscribe: (listener: () => void) => () => void
  /** Calls the listener with the microphone level, fifty times a second. Returns an unsubscribe function. */
  readonly onLevel: (listener: (level: number) => void) => () => void
  /** Push to talk pressed: silences the agent and turns the microphone on. */
  press(): void
  /** Push to talk released: ends the turn. */
  release(): void
  /** Turns hands-free mode on or off. */
  setHandsFree(isHandsFree: boolean): void
  /** Sends text instead of speech. The answer is spoken. */
  sendText(text: string): void
  /** Stops the answer. The conversation keeps the part that was heard. */
  interrupt(): void
  /** Releases microphone, speaker and line. */
  close(): void
}

/** Opens the line and asks for the microphone. Call it from a click handler: browsers block audio before a user gesture. */
export const openVoiceDialogue = (options: VoiceDialogueOptions): VoiceDialogue => new Dialogue(options)

class Dialogue implements VoiceDialogue {
  readonly #options: VoiceDialogueOptions
  readonly #listeners = new Set<() => void>()
  readonly #levelListeners = new Set<(level: number) => void>()
  #facts: DialogueFacts
  #state: VoiceDialogueState
  #line: FabricVoiceHandle
  #speaker: Loudspeaker | null = null
  #microphone: Microphone | null = null
  #isClosed = false
  #opening: Promise<void> | null = null
  /** The microphone has delivered audio since the button was pressed. */
  #hasRecorded = false
  /** Audio that arrived before the speaker was open. */
  #unplayed: { readonly item: string; readonly audio: Uint8Array }[] = []

  constructor(options: VoiceDialogueOptions) {
    this.#options = options
    this.#facts = initialFacts(options.isHandsFree ?? false)
    this.#state = stateOf(this.#facts)
    this.#line = this.#connect()
    this.#openAudio()
  }

  readonly getSnapshot = (): VoiceDialogueState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly onLevel = (listener: (level: number) => void): (() => void) => {
    this.#levelListeners.add(listener)
    return () => this.#levelListeners.delete(listener)
  }

  press(): void {
    if (this.#facts.isPressed || this.#facts.isHandsFree || this.#isClosed) return
    if (!this.#microphone) this.#openAudio()
    if (this.#facts.isPlaying) this.interrupt()
    this.#hasRecorded = false
    this.#apply({ type: 'pressed', isPressed: true })
  }

  release(): void {
    if (!this.#facts.isPressed) return
    // Without audio there is no turn to end.
    if (this.#hasRecorded) this.#line.endTurn()
    this.#apply({ type: 'pressed', isPressed: false, hasRecorded: this.#hasRecorded })
  }

  setHandsFree(isHandsFree: boolean): void {
    if (isHandsFree === this.#facts.isHandsFree || this.#isClosed) return
    if (!this.#microphone) this.#openAudio()
    this.#apply({ type: 'hands_free', isHandsFree })
    // Turn detection is fixed per connection. The new connection reuses the line id, so the server closes the old one.
    const former = this.#line
    this.#line = this.#connect(former.line)
    former.close()
  }

  sendText(text: string): void {
    if (this.#facts.isPlaying) this.#speaker?.stop()
    this.#line.sendText(text)
  }

  interrupt(): void {
    this.#speaker?.stop()
    this.#line.cancelResponse()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#microphone?.close()
    this.#speaker?.close()
    this.#line.close()
  }

  #connect(id?: string): FabricVoiceHandle {
    const { worklet: _worklet, isHandsFree: _isHandsFree, ...rest } = this.#options
    const turns = this.#facts.isHandsFree ? 'silence' : 'manual'
    const line: FabricVoiceHandle = connectFabricVoice({
      ...rest,
      turns,
      line: id,
      // Ignore events of a replaced connection.
      onEvent: (event) => line === this.#line && this.#receive(event),
    })
    return line
  }

  /** Opens the devices once: a second microphone could never be turned off. */
  #openAudio(): void {
    this.#opening ??= this.#openDevices().finally(() => {
      this.#opening = null
    })
  }

  async #openDevices(): Promise<void> {
    const { worklet } = this.#options
    this.#apply({ type: 'problem', problem: null })
    try {
      this.#speaker ??= await openLoudspeaker({
        worklet,
        onPlayed: (item, ms, isStopped) => this.#line.played(item, ms, isStopped),
        onPlaying: (isPlaying) => this.#apply({ type: 'playing', isPlaying }),
      })
      for (const { item, audio } of this.#unplayed.splice(0)) this.#speaker.play(item, audio)
      this.#microphone ??= await openMicrophone({
        worklet,
        onAudio: (audio) => {
          this.#hasRecorded = true
          this.#line.sendAudio(audio)
        },
        onLevel: (level) => this.#reportLevel(level),
        onEnd: (error) => this.#loseMicrophone(error),
      })
    } catch (cause) {
      this.#loseMicrophone(toMicrophoneError(cause))
    }
    if (this.#isClosed) {
      this.#speaker?.close()
      this.#microphone?.close()
    } else if (this.#microphone) this.#apply({ type: 'microphone', hasMicrophone: true })
  }

  #loseMicrophone({ code, message }: { readonly code: string; readonly message: string }): void {
    this.#microphone?.close()
    this.#microphone = null
    this.#apply({ type: 'microphone', hasMicrophone: false })
    this.#apply({ type: 'pressed', isPressed: false })
    this.#apply({ type: 'problem', problem: { code: `microphone_${code}`, message } })
  }

  #receive(event: FabricVoiceEvent): void {
    if (event.type === 'audio_delta') {
      if (this.#speaker) this.#speaker.play(event.item, event.audio)
      else this.#unplayed.push(event)
    }
    if (event.type === 'audio_stop') this.#speaker?.stop(event.item)
    if (event.type === 'response_done' && event.status === 'interrupted') this.#speaker?.stop()
    if (event.type === 'closed') this.close()
    this.#apply(event)
  }

  #apply(event: FabricVoiceEvent | DialogueEvent): void {
    const before = this.#facts
    this.#facts = factsAfter(before, event)
    if (this.#facts === before) return
    const { isHandsFree, isPressed } = this.#facts
    // Turn the microphone off between turns, so that the browser shows it as off.
    const isOn = isHandsFree || isPressed
    if (this.#microphone && this.#microphone.isOn !== isOn) this.#microphone.isOn = isOn
    this.#state = stateOf(this.#facts)
    for (const listener of this.#listeners) listener()
  }

  #reportLevel(level: number): void {
    for (const listener of this.#levelListeners) listener(level)
  }
}
