// The model and the effort of the next prompts, where the agent of the session lets a prompt choose.
import { useServer } from '../../server/server-context.tsx'
import { useLoaded } from '../../server/use-loaded.ts'
import { visibleText } from '../../ui/plain-text.ts'
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
        <select
          className="turn-choice small"
          aria-label="Model"
          title="The model of the next prompts"
          value={choice.model ?? ''}
          onChange={(event) => keepTurnChoice(session, { model: event.target.value })}
        >
          <option value="">{visibleText(inUse ?? 'default model')}</option>
          {models.map(({ id, title }) => (
            <option key={id} value={id}>
              {visibleText(title)}
            </option>
          ))}
        </select>
      )}
      {efforts.length > 0 && (
        <select
          className="turn-choice small"
          aria-label="Effort"
          title="How much the model thinks about the next prompts"
          value={choice.effort ?? ''}
          onChange={(event) => keepTurnChoice(session, { effort: event.target.value })}
        >
          <option value="">{visibleText(effortInUse ?? 'default effort')}</option>
          {efforts.map((effort) => (
            <option key={effort} value={effort}>
              {visibleText(effort)}
            </option>
          ))}
        </select>
      )}
    </>
  )
}
