// The model and the effort of the next prompts, where the agent of the session lets a prompt choose.
import { useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { ChoiceSelect, untitled } from '../../ui/choice-select.tsx'
import { useSession } from '../session-context.tsx'
import { keepTurnChoice, type TurnChoice } from './turn-choice.ts'

export const TurnChoiceFields = ({ choice }: { readonly choice: TurnChoice }) => {
  const { client } = useServer()
  const session = useSession()
  const { model: inUse, think_level: effortInUse } = session.detail
  const agents = useLoaded('agents', async () => (await client.agents()).agents)
  const agent = agents.data?.find(({ name }) => name === session.agent)
  const { model_choices: models = [], efforts = [] } = agent ?? {}
  return (
    <>
      {models.length > 0 && (
        <ChoiceSelect
          className="turn-choice small"
          label="Model"
          title="The model of the next prompts"
          value={choice.model ?? ''}
          unchosen={inUse ?? 'default model'}
          choices={models}
          onChange={(model) => keepTurnChoice(session, { model })}
        />
      )}
      {efforts.length > 0 && (
        <ChoiceSelect
          className="turn-choice small"
          label="Effort"
          title="How much the model thinks about the next prompts"
          value={choice.effort ?? ''}
          unchosen={effortInUse ?? 'default effort'}
          choices={untitled(efforts)}
          onChange={(effort) => keepTurnChoice(session, { effort })}
        />
      )}
    </>
  )
}
