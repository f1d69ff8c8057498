import { TopBar } from '../shell/top-bar.tsx'

const FleetPage = () => (
  <TopBar>
    <h1>Health</h1>
  </TopBar>
)

export default FleetPage
