import { TopBar } from '../shell/top-bar.tsx'

const AgentsPage = ({ agent }: { readonly agent: string | null }) => (
  <TopBar>
    <h1>{agent ?? 'Agents'}</h1>
  </TopBar>
)

export default AgentsPage
