import { TopBar } from '../shell/top-bar.tsx'

const SessionsPage = () => (
  <TopBar>
    <h1>Sessions</h1>
  </TopBar>
)

export default SessionsPage
