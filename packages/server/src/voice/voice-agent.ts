// Written prompts are answered by the model of `assistant`, or, without one, by the realtime model in text.
import { type AgentDefinition, agent } from '@bridle/agents/agent'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { CascadeEnv } from '@bridle/voice/cascade/settings'
import type { ConnectProvider } from '@bridle/voice/realtime/provider-socket'
import { KEY_VARIABLES, providerAccess, type RealtimeEnv } from '@bridle/voice/realtime/providers'
import { writtenModel } from '@bridle/voice/realtime/written-answers'
import type { AssistantAgent } from '../models/assistant.ts'

export const VOICE = 'voice'

export type VoiceEnv = RealtimeEnv & CascadeEnv

export interface VoiceAgent {
  readonly definition: AgentDefinition
  readonly needs: () => string | null
}

export const createVoiceAgent = (
  env: VoiceEnv,
  assistant: AssistantAgent,
  { clock, connect }: { readonly clock: Clock; readonly connect: ConnectProvider },
): VoiceAgent => {
  const access = providerAccess(env, connect)
  return {
    definition: agent({
      name: VOICE,
      description: 'Speaks with you, through the realtime model of the server.',
      model: access && assistant.needs() !== null ? [writtenModel(access, clock)] : assistant.models,
      instructions: INSTRUCTIONS,
    }),
    needs: () => (access || assistant.needs() === null ? null : UNSET),
  }
}

const UNSET = `Set ${KEY_VARIABLES} to speak with it, or BRIDLE_MODEL to write to it.`

const INSTRUCTIONS = `You are a helpful partner in a conversation.
Answer in the language of the person who speaks. Be brief: say the answer first, and more only when it is wanted.
Say so when you do not know something or did not understand. Ask when a question can be meant in more than one way.
You have no tools: you cannot look anything up or change anything. Never claim that you did.`
