// Speaking with the session of the page: the dialogue, from the first press of the microphone until it is ended or the page is left.
import { openVoiceDialogue, type VoiceDialogue, type VoiceDialogueState } from 'bridle/voice'
import worklet from 'bridle/voice-worklet?worker&url'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { voiceUrl } from '../../server/address.ts'
import { useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { useSession } from '../session-context.tsx'

export interface Voice {
  readonly dialogue: VoiceDialogue | null
  readonly state: VoiceDialogueState | null
  /** The open dialogue, or a new one. Called in a click: browsers lend the microphone to nobody else. */
  readonly open: () => VoiceDialogue
  readonly end: () => void
}

/** Null where the server cannot speak for the agent of this session. */
export const useVoice = (): Voice | null => {
  const { id, agent } = useSession()
  const { client, options } = useServer()
  const { data } = useLoaded('agents', () => client.agents())
  const current = useRef<VoiceDialogue | null>(null)
  const [dialogue, setDialogue] = useState<VoiceDialogue | null>(null)
  const state = useSyncExternalStore(dialogue?.subscribe ?? subscribeNothing, () => dialogue?.getSnapshot() ?? null)
  const end = useCallback(() => {
    current.current?.close()
    current.current = null
    setDialogue(null)
  }, [])
  useEffect(() => end, [end])
  const open = (): VoiceDialogue => {
    if (current.current && current.current.getSnapshot().phase !== 'closed') return current.current
    current.current?.close()
    const { authToken, tenantId } = options
    const opened = openVoiceDialogue({ url: voiceUrl(id), agent, authToken, tenantId, worklet })
    current.current = opened
    setDialogue(opened)
    return opened
  }
  const isSpoken = data?.agents.some(({ name, voice }) => name === agent && voice !== null) ?? false
  return isSpoken ? { dialogue, state, open, end } : null
}

const subscribeNothing = () => () => {}
