import { TopBar } from '../shell/top-bar.tsx'

const RoutesPage = () => (
  <TopBar>
    <h1>Routes</h1>
  </TopBar>
)

export default RoutesPage
