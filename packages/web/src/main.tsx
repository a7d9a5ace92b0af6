import { render } from "preact";

render(<h1>Postern</h1>, document.body);
