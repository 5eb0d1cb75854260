//! What is at a point of the viewport, through frames of any process.

use automator_cdp::protocol::dom::{DescribeNode, GetBoxModel, GetFrameOwner, GetNodeForLocation};
use automator_cdp::protocol::page::GetLayoutMetrics;
use automator_cdp::{CdpError, Session};

use crate::input::mouse::check_point;
use crate::{BrowserError, Frame, Page};

/// How many processes are gone into below a point. Frames that deep are the work of nobody sane.
const DEPTH: usize = 32;

/// Where a point of the page falls within one process.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    /// The innermost frame of the process that has the point.
    pub(crate) frame: Frame,
    /// What is hit there; the frame element where another process goes on. None where there is nothing.
    pub(crate) node: Option<i64>,
}

impl Page {
    /// The absolute XPath of the element at a point of the viewport, with the steps through frames in front:
    /// `/html[1]/body[1]/iframe[1]/html[1]/…`. Empty when the point is not in the viewport.
    ///
    /// # Errors
    /// [`BrowserError::InvalidArgument`] for coordinates that are no numbers; else as
    /// [`Frame::call_function`].
    pub async fn xpath_at(&self, x: f64, y: f64) -> Result<String, BrowserError> {
        check_point(x, y)?;
        let Some(Spot {
            frame,
            node: Some(node),
        }) = self.spots(x, y).await?.pop()
        else {
            return Ok(String::new());
        };
        let mut path = self.path_of(&frame, node).await?;
        if path.is_empty() {
            // The document itself, below a short page.
            "/html[1]".clone_into(&mut path);
        }
        let mut inner = frame;
        while let Some(outer) = inner.parent() {
            let owner = owner_of(&inner, &outer).await?;
            path.insert_str(0, &self.path_of(&outer, owner).await?);
            inner = outer;
        }
        Ok(path)
    }

    async fn path_of(&self, frame: &Frame, node: i64) -> Result<String, BrowserError> {
        let found = self.call_on_nodes("paths", &[(frame.id(), node)]).await?;
        let path = found.into_iter().flatten().next();
        Ok(path
            .and_then(|path| Some(path.as_str()?.to_owned()))
            .unwrap_or_default())
    }

    /// What is at a point of the viewport, one entry for each process, the page's own first.
    pub(crate) async fn spots(&self, x: f64, y: f64) -> Result<Vec<Spot>, BrowserError> {
        let mut spots = Vec::new();
        let (mut root, mut point) = (self.main_frame(), (x, y));
        for _ in 0..DEPTH {
            let session = root.session()?;
            let hit = self.or_end(hit(&session, point)).await?;
            let Some((frame_id, node)) = hit else {
                spots.push(Spot {
                    frame: root,
                    node: None,
                });
                break;
            };
            let frame = self.frame(&frame_id).unwrap_or_else(|| root.clone());
            spots.push(Spot {
                frame,
                node: Some(node),
            });
            let inner = self.or_end(foreign_frame(self, &session, node)).await?;
            let Some(inner) = inner else { break };
            let Some(area) = area_of(&inner, &session, node).await? else {
                break;
            };
            let Some(inside) = area.inward(point) else { break };
            (root, point) = (inner, inside);
        }
        Ok(spots)
    }
}

impl Frame {
    /// From a point of the viewport of the frame's session to the page's viewport; none when a frame element on
    /// the way shows nothing.
    #[expect(
        dead_code,
        reason = "for the locators, which know points of elements in frames"
    )]
    pub(crate) async fn to_page_viewport(&self, x: f64, y: f64) -> Result<Option<(f64, f64)>, BrowserError> {
        let mut point = (x, y);
        let mut frame = self.clone();
        while let Some(outer) = frame.parent() {
            let session = outer.session()?;
            if frame.session()?.id() != session.id() {
                let owner = owner_of(&frame, &outer).await?;
                let Some(area) = area_of(&frame, &session, owner).await? else {
                    return Ok(None);
                };
                point = area.outward(point);
            }
            frame = outer;
        }
        Ok(Some(point))
    }
}

/// The frame and the node at a point of a session's viewport.
async fn hit(session: &Session, (x, y): (f64, f64)) -> Result<Option<(String, i64)>, BrowserError> {
    let metrics = session.send(&GetLayoutMetrics {}).await?;
    let seen = metrics.css_visual_viewport;
    let is_inside =
        (0.0..seen.client_width.max(1.0)).contains(&x) && (0.0..seen.client_height.max(1.0)).contains(&y);
    if !is_inside {
        return Ok(None);
    }
    let locate = GetNodeForLocation {
        // The browser counts from the corner of the document here.
        x: whole(x + seen.page_x),
        y: whole(y + seen.page_y),
        ..GetNodeForLocation::default()
    };
    match session.send(&locate).await {
        Ok(found) => Ok(Some((found.frame_id, found.backend_node_id))),
        Err(CdpError::Protocol { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and no page is that large"
)]
fn whole(pixels: f64) -> i64 {
    pixels.floor() as i64
}

/// The frame that a node shows, when it lives in another process.
async fn foreign_frame(page: &Page, session: &Session, node: i64) -> Result<Option<Frame>, BrowserError> {
    let describe = DescribeNode {
        backend_node_id: Some(node),
        ..DescribeNode::default()
    };
    let described = match session.send(&describe).await {
        Ok(reply) => reply.node,
        Err(CdpError::Protocol { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let frame = described.frame_id.and_then(|id| page.frame(&id));
    Ok(frame.filter(|frame| frame.session().is_ok_and(|inner| inner.id() != session.id())))
}

/// The element that shows a frame.
async fn owner_of(inner: &Frame, outer: &Frame) -> Result<i64, BrowserError> {
    let get = GetFrameOwner {
        frame_id: inner.id().to_owned(),
    };
    let session = outer.session()?;
    let asking = async { Ok(session.send(&get).await?.backend_node_id) };
    match inner.page().or_end(asking).await {
        Err(BrowserError::Protocol(CdpError::Protocol { .. })) => Err(BrowserError::FrameGone),
        outcome => outcome,
    }
}

/// Where a frame element shows its frame; none when it shows nothing.
async fn area_of(inner: &Frame, session: &Session, owner: i64) -> Result<Option<Area>, BrowserError> {
    let get = GetBoxModel {
        backend_node_id: Some(owner),
        ..GetBoxModel::default()
    };
    let content = async {
        match session.send(&get).await {
            Ok(reply) => Ok(Some(reply.model.content)),
            Err(CdpError::Protocol { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    };
    let size = inner.call_function("function() { return [innerWidth, innerHeight] }", &[]);
    let (content, size) = tokio::join!(inner.page().or_end(content), size);
    let size = size?;
    let length = |position: usize| size.get(position).and_then(serde_json::Value::as_f64);
    let (Some(quad), Some(width), Some(height)) = (content?, length(0), length(1)) else {
        return Ok(None);
    };
    Ok(Area::new(&quad, width, height))
}

/// A frame's viewport as it lies in the one outside: maybe moved, scaled or turned.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Area {
    origin: (f64, f64),
    /// Where one pixel to the right leads.
    right: (f64, f64),
    /// Where one pixel down leads.
    down: (f64, f64),
}

impl Area {
    /// `quad` holds the corners clockwise from the upper left one; the size is that of the inner viewport.
    fn new(quad: &[f64], width: f64, height: f64) -> Option<Self> {
        let &[x0, y0, x1, y1, _, _, x3, y3] = quad else {
            return None;
        };
        (width > 0.0 && height > 0.0).then_some(Self {
            origin: (x0, y0),
            right: ((x1 - x0) / width, (y1 - y0) / width),
            down: ((x3 - x0) / height, (y3 - y0) / height),
        })
    }

    fn outward(self, (x, y): (f64, f64)) -> (f64, f64) {
        (
            self.origin.0 + x * self.right.0 + y * self.down.0,
            self.origin.1 + x * self.right.1 + y * self.down.1,
        )
    }

    /// None when the area is flat.
    fn inward(self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let (x, y) = (x - self.origin.0, y - self.origin.1);
        let determinant = self.right.0 * self.down.1 - self.right.1 * self.down.0;
        (determinant.abs() > f64::EPSILON).then(|| {
            (
                (x * self.down.1 - y * self.down.0) / determinant,
                (y * self.right.0 - x * self.right.1) / determinant,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_in_and_out_of_a_frame_that_is_scaled_and_turned() {
        // Turned by 90 degrees, at half the size.
        let area = Area::new(&[100.0, 50.0, 100.0, 150.0, 0.0, 150.0, 0.0, 50.0], 200.0, 200.0).unwrap();
        let outside = area.outward((20.0, 60.0));
        assert_eq!(outside, (70.0, 60.0));
        assert_eq!(area.inward(outside), Some((20.0, 60.0)));
        assert_eq!(Area::new(&[0.0; 8], 10.0, 10.0).unwrap().inward((1.0, 1.0)), None);
        assert_eq!(Area::new(&[0.0; 7], 10.0, 10.0), None);
        assert_eq!(Area::new(&[0.0; 8], 0.0, 10.0), None);
    }
}
