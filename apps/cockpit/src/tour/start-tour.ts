import type { FabricClient } from 'bridle/client'
import { newTourId } from './tour-id.ts'
import { TOUR_TITLE, tourPrompt } from './tour-script.ts'

/** Starts the tour's session, with a budget whose meter can be seen to fill. Returns its id. */
export const startTour = async (client: FabricClient): Promise<string> => {
  const { id } = await client.startBackground({
    agent: 'scripted',
    session_id: newTourId(),
    title: TOUR_TITLE,
    prompt: tourPrompt,
    policy: { health: { max_cost_usd: 0.02, action: 'pause' } },
  })
  return id
}
